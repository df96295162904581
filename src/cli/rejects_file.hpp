// A file for what an import did not take: of one process at a time, and nothing in it is lost that something else has written.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace errand::cli {

// The first ones, where there is no file for them.
class said_rejects {
public:
    explicit said_rejects(std::string noun) : noun_{std::move(noun)} {}
    void add(std::uint64_t number, const std::string& reason);
    // Of those that were added, how many were not said.
    std::uint64_t unsaid() const noexcept { return unsaid_; }

private:
    std::string noun_;
    std::uint64_t said_ = 0;
    std::uint64_t unsaid_ = 0;
};

// As much of what was rejected as is kept, as text that JSON can hold.
std::string kept_of_reject(const std::string& text);

// Each call throws usage_error when it cannot be done.
class rejects_file {
public:
    // This process's alone for as long as this lives; another one that has it is an error. A device is nobody's alone.
    explicit rejects_file(std::string path);

    // In a device there is never anything.
    bool is_empty();
    void cut(std::uint64_t bytes);
    void write(std::string_view bytes);
    // What was written is in the file.
    void flush();
    // This and nothing else is in the file, or, when that cannot be done, what was.
    void replace(std::string_view bytes);
    const std::string& path() const noexcept { return path_; }
    [[noreturn]] void throw_unwritable(int error) const;
    [[noreturn]] void refuse(const std::string& why) const;

private:
    struct closes {
        void operator()(std::FILE* file) const noexcept { std::fclose(file); }
    };
    using stream = std::unique_ptr<std::FILE, closes>;

    stream open() const;
    void lock(const stream& what) const;
    bool is_at_path(const stream& what) const;

    std::string path_;
    stream file_;
    bool is_device_ = false;
};

}  // namespace errand::cli
