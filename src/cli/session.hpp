// What every command gets: where the tasks are, and how its answer leaves the program: text or one JSON document on standard
// output, sentences on the error stream.
#pragma once

#include <errand/app.hpp>

#include "cli/commands.hpp"

#include <boost/json/value.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace errand::cli {

void print(std::string_view text);
void print_document(const boost::json::value& document);
// "errand: …" on the error stream.
void complain(const std::string& sentence);

// The clock of this machine, which is near enough to the store's for "3m ago".
time_point clock_now();

// The options that every command takes.
struct common_options {
    std::string store;
    std::string name_space;
    std::string store_timeout;
    bool json = false;
};

// Declares them, bound to these values.
void declare_common(CLI::App& line, common_options& values);

class session {
public:
    explicit session(common_options how) : how_{std::move(how)} {}

    // Of the environment and the options. Throws usage_error when they do not fit.
    config settings() const;
    bool json() const noexcept { return how_.json; }
    // Throws usage_error for settings by which tasks would be seen by no other program.
    static void need_shared_store(const config& settings);

    // Made at its first use: commands without a store need none. Throws usage_error when the settings do not fit.
    errand::app& app();
    inspector inspect() { return app().inspect(); }
    // After what was seen: done, or not all of it when a server was away, which it says then.
    exit_code seen();

    template <class T>
    T run(awaitable<T> work) {
        return app().block_on(std::move(work));
    }

private:
    common_options how_;
    std::optional<errand::app> app_;
};

}  // namespace errand::cli
