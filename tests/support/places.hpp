// Where servers of tests live: folders and ports that nobody else has.
#pragma once

#include <filesystem>
#include <string>

namespace errand::test {

// A new folder below the system's temporary one, for this user alone: errand-<name>-<letters>.
std::filesystem::path temporary_folder(const std::string& name);

// A TCP port of this machine that nobody listens on at this moment.
int free_port();

}  // namespace errand::test
