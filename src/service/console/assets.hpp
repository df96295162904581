// The console's files: those of the program, or of a folder in which somebody edits them.
#pragma once

#include <errand/service.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace errand::console {

// Throws usage_error for a prefix that is no path, and a folder in which the console is not.
void check(const console_options& given);

class assets {
public:
    explicit assets(const console_options& how);

    // What stands in the path of a file, so that one that is kept by a browser is always the right one.
    const std::string& build() const noexcept { return build_; }
    // Whether a file stays as it is as long as its path does.
    bool lasting() const noexcept { return folder_.empty(); }
    // By its path below the console's folder; nullopt: there is none.
    std::optional<std::string> find(std::string_view name) const;
    // Paths of those that the first one, app.js, brings along. Of those that were built in.
    static std::vector<std::string_view> modules();

private:
    std::string folder_;
    std::string build_;
};

// "text/css; charset=utf-8", by the end of the name.
std::string type_of(std::string_view name);

}  // namespace errand::console
