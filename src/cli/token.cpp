// errand token: makes a token for the service, and the line that lets its holder in.
#include <errand/error.hpp>

#include "cli/commands.hpp"
#include "cli/session.hpp"
#include "service/fresh_token.hpp"
#include "service/token_list.hpp"

#include <boost/json/object.hpp>

#include <CLI/CLI.hpp>

#include <cerrno>
#include <fcntl.h>
#include <memory>
#include <string>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace errand::cli {
namespace {

struct token_options {
    std::string name;
    std::vector<std::string> scopes;
    std::string rate;
    std::string file;
};

// Whether what is written at its end would become part of a line that is there.
bool ends_in_line(int file) {
    char last = '\n';
    const auto size = ::lseek(file, 0, SEEK_END);
    return size > 0 && ::pread(file, &last, 1, size - 1) == 1 && last != '\n';
}

// In one write at its end, so that no service reads half of it.
void append(const std::string& path, std::string line) {
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file >= 0 && ends_in_line(file)) line.insert(line.begin(), '\n');
    const auto written = file < 0 ? -1 : ::write(file, line.data(), line.size());
    const auto why = errno;
    if (file >= 0) ::close(file);
    if (written != static_cast<ssize_t>(line.size()))
        throw error{"cannot write to " + path + ": " + std::generic_category().message(why)};
}

exit_code make(session& on, const token_options& how) {
    const auto token = web::fresh_token();
    const auto line = web::token_line(how.name, how.scopes, token, how.rate);
    if (!how.file.empty()) append(how.file, line);
    if (on.json()) {
        print_document(boost::json::object{{"token", token}, {"line", line.substr(0, line.size() - 1)}});
    } else if (how.file.empty()) {
        print(token + '\n' + line);
    } else {
        print(token + '\n');
    }
    return exit_code::done;
}

}  // namespace

runner prepare_token(CLI::App& line) {
    const auto how = std::make_shared<token_options>();
    line.add_option("name", how->name, "Whose it is, as the access log says it")
        ->required()
        ->type_name("NAME");
    line.add_option(
            "--scope", how->scopes,
            "What it is for: view; submit, work or operate (each may look as well); admin (quotas, types of flows, and "
            "lmstfy's admin API, as a password); may be given again")
        ->required()
        ->type_name("SCOPE")
        ->check(CLI::IsMember({"view", "submit", "work", "operate", "admin"}))
        ->allow_extra_args(false);
    line.add_option("--rate", how->rate,
                    "Never more requests than so many in any time, over all servers: 100/s, 1000/min, 50/30s")
        ->type_name("N/TIME");
    line.add_option("--file", how->file,
                    "The list that `errand serve --tokens` reads: its line is added there")
        ->type_name("FILE");
    return [how](session& on) { return make(on, *how); };
}

}  // namespace errand::cli
