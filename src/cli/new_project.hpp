// What `errand new` writes: the files of a small service. Pure but for write_project.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace errand::cli {

struct project_file {
    std::filesystem::path path;  // below the project's folder
    std::string text;
};

// Throws usage_error when a project, and with it its C++ namespace and its targets, cannot have this name.
void check_project_name(std::string_view name);

// All of them, with the name and the version of errand where the templates have their places. The name has been checked.
std::vector<project_file> project_of(std::string_view name);

// Makes the folder and what is in it. Throws usage_error when there is something of this name already, error when it cannot
// be written; nothing of it stays then.
void write_project(const std::filesystem::path& folder, const std::vector<project_file>& files);

}  // namespace errand::cli
