// errand new: the beginning of a project.
#include "cli/commands.hpp"
#include "cli/new_project.hpp"
#include "cli/session.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <CLI/CLI.hpp>

#include <memory>

namespace errand::cli {
namespace {

struct new_options {
    std::string name;
    std::string in = ".";
};

exit_code make(session& on, const new_options& how) {
    check_project_name(how.name);
    const auto folder = (std::filesystem::path{how.in} / how.name).lexically_normal();
    const auto files = project_of(how.name);
    write_project(folder, files);
    if (on.json()) {
        boost::json::array paths;
        for (const auto& file : files) paths.emplace_back((folder / file.path).string());
        print_document(boost::json::object{{"folder", folder.string()}, {"files", std::move(paths)}});
        return exit_code::done;
    }
    for (const auto& file : files) print((folder / file.path).string() + '\n');
    print(
        "\ncd " + folder.string() +
        " && cmake --preset debug && cmake --build --preset debug && ctest --preset debug\nREADME.md says the rest.\n");
    return exit_code::done;
}

}  // namespace

runner prepare_new(CLI::App& line) {
    const auto how = std::make_shared<new_options>();
    line.add_option("name", how->name, "The project's name, and its folder's: small letters, digits and _")
        ->required()
        ->type_name("NAME");
    line.add_option("--in", how->in, "The folder in which the project's is made; without it, this one")
        ->type_name("FOLDER");
    return [how](session& on) { return make(on, *how); };
}

}  // namespace errand::cli
