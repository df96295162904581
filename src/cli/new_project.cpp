#include "cli/new_project.hpp"

#include <errand/error.hpp>

#include "cli/project_files.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <utility>

namespace errand::cli {
namespace {

constexpr std::size_t longest_name = 30;  // a user of Linux has 32 characters at most

// The file's name among the templates, and its place in a project.
constexpr std::array<std::pair<std::string_view, std::string_view>, 14> places{{
    {"CMakeLists.txt", "CMakeLists.txt"},
    {"CMakePresets.json", "CMakePresets.json"},
    {"Dockerfile", "Dockerfile"},
    {"README.md", "README.md"},
    {"build.yml", ".github/workflows/build.yml"},
    {"dockerignore", ".dockerignore"},
    {"gitignore", ".gitignore"},
    {"handlers.cpp", "src/handlers.cpp"},
    {"handlers.hpp", "src/handlers.hpp"},
    {"handlers_test.cpp", "tests/handlers_test.cpp"},
    {"submit.cpp", "src/submit.cpp"},
    {"worker.cpp", "src/worker.cpp"},
    {"worker.env", "deploy/worker.env"},
    {"worker.service", "deploy/@name@-worker.service"},
}};

std::string_view template_of(std::string_view name) {
    const auto at = std::ranges::find(project_files, name, &embedded_text::name);
    if (at == project_files.end()) throw error{"there is no template " + std::string{name}};
    return at->text;
}

std::string replaced(std::string text, std::string_view what, std::string_view by) {
    for (auto at = text.find(what); at != text.npos; at = text.find(what, at + by.size()))
        text.replace(at, what.size(), by);
    return text;
}

// "0.9" of "0.9.0": packages of one minor version go together.
std::string minor_version() {
    const std::string version = ERRAND_VERSION;
    return version.substr(0, version.find_last_of('.'));
}

std::string filled(std::string_view text, std::string_view name) {
    return replaced(replaced(std::string{text}, "@name@", name), "@version@", minor_version());
}

bool is_small(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

void write(const std::filesystem::path& path, const std::string& text) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream out{path, std::ios::binary};
    out << text;
    out.close();
    if (!out) throw error{"cannot write " + path.string()};
}

}  // namespace

void check_project_name(std::string_view name) {
    const bool letters =
        std::ranges::all_of(name, [](char c) { return is_small(c) || is_digit(c) || c == '_'; });
    if (name.empty() || !letters || !is_small(name.front()) || name.back() == '_' ||
        name.find("__") != name.npos || name.size() > longest_name)
        throw usage_error{
            "a project cannot be called \"" + std::string{name} +
            "\": its name becomes part of C++ names, so it has small letters, digits and single _ inside, "
            "begins with a letter, and has at most 30 characters"};
    if (name == "errand")
        throw usage_error{
            "a project cannot be called \"errand\": its targets would have the names of errand's own"};
}

std::vector<project_file> project_of(std::string_view name) {
    std::vector<project_file> files;
    for (const auto& [from, to] : places)
        files.push_back({filled(to, name), filled(template_of(from), name)});
    return files;
}

void write_project(const std::filesystem::path& folder, const std::vector<project_file>& files) {
    std::error_code failure;
    if (!std::filesystem::create_directory(folder, failure)) {
        if (!failure || failure == std::errc::file_exists)
            throw usage_error{"there is something called " + folder.string() +
                              " already: choose another name, or another folder with --in"};
        throw error{"cannot make the folder " + folder.string() + ": " + failure.message()};
    }
    try {
        for (const auto& file : files) write(folder / file.path, file.text);
    } catch (...) {
        std::filesystem::remove_all(folder, failure);
        throw;
    }
}

}  // namespace errand::cli
