#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/session.hpp"

namespace errand::cli {

runner prepare_version(CLI::App&) {
    return [](session& on) {
        if (on.json()) {
            print_document(boost::json::object{{"version", ERRAND_VERSION}});
        } else {
            print("errand " ERRAND_VERSION "\n");
        }
        return exit_code::done;
    };
}

}  // namespace errand::cli
