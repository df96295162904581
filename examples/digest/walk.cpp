#include "walk.hpp"

#include "names.hpp"

#include <algorithm>
#include <cerrno>
#include <dirent.h>
#include <memory>
#include <optional>
#include <sys/stat.h>
#include <system_error>

namespace {

struct close_directory {
    void operator()(DIR* open) const noexcept { ::closedir(open); }
};
using open_directory = std::unique_ptr<DIR, close_directory>;

struct identity {
    dev_t device;
    ino_t inode;
    bool operator==(const identity&) const = default;
};

std::optional<identity> identity_of(const std::string& name) {
    struct stat found{};
    if (::stat(name.c_str(), &found) != 0) return std::nullopt;
    return identity{found.st_dev, found.st_ino};
}

std::string reason() { return std::generic_category().message(errno); }

// "/" is the one directory whose name ends with a slash.
std::string without_slashes(std::string name) {
    while (name.size() > 1 && name.back() == '/') name.pop_back();
    return name;
}

class walker {
public:
    explicit walker(const std::string& except) : except_{identity_of(except)} {}

    walked_tree walk(const std::string& top) {
        todo_.push_back(top);
        while (!todo_.empty()) {
            const std::string directory = std::move(todo_.back());
            todo_.pop_back();
            list(directory, directory == top);
        }
        std::ranges::sort(tree_.files, {}, &walked_file::name);
        return std::move(tree_);
    }

private:
    void list(const std::string& directory, bool top) {
        const open_directory open{::opendir(directory.c_str())};
        if (!open) {
            if (top) throw std::system_error{errno, std::generic_category(), printable(directory)};
            return skip(directory);
        }
        const std::string before = directory == "/" ? directory : directory + "/";
        for (;;) {
            errno = 0;
            const dirent* entry = ::readdir(open.get());
            if (!entry) break;
            const std::string_view name = entry->d_name;
            if (name != "." && name != "..") look_at(before + entry->d_name, entry->d_type);
        }
        if (errno != 0) skip(directory);
    }

    void look_at(std::string name, unsigned char type) {
        struct stat found{};
        if (::lstat(name.c_str(), &found) != 0) {
            // The worker's own attempt says why; what is not known to be a file can only be mentioned.
            if (type == DT_REG) {
                tree_.files.push_back({std::move(name)});
            } else {
                skip(name);
            }
        } else if (S_ISDIR(found.st_mode)) {
            todo_.push_back(std::move(name));
        } else if (S_ISREG(found.st_mode) && identity{found.st_dev, found.st_ino} != except_) {
            const std::int64_t ns =
                std::int64_t{found.st_mtim.tv_sec} * 1'000'000'000 + found.st_mtim.tv_nsec;
            tree_.files.push_back({std::move(name), found.st_size, ns});
            tree_.bytes += found.st_size;
        }
    }

    void skip(const std::string& name) { tree_.unreadable.push_back(printable(name) + ": " + reason()); }

    std::optional<identity> except_;
    std::vector<std::string> todo_;
    walked_tree tree_;
};

}  // namespace

walked_tree walk(const std::string& directory, const std::string& except) {
    return walker{except}.walk(without_slashes(directory));
}
