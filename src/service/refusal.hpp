// Why a request, or an item of one, is not done: a status for machines, a code for programs, a sentence for people.
#pragma once

#include <errand/time.hpp>

#include "service/message.hpp"

#include <boost/json/object.hpp>

#include <exception>
#include <optional>
#include <stdexcept>
#include <string>

namespace errand::web {

// At most 100 bytes, and "..." when there are more: what was sent is not sent back as a whole.
std::string shortened(std::string text);

class refusal : public std::runtime_error {
public:
    // @param path the member, parameter or header that is at fault, as "tasks[3].priority"; empty: none
    refusal(int status, std::string code, const std::string& message, std::string path = {})
        : std::runtime_error{message},
          status_{status},
          code_{std::move(code)},
          path_{shortened(std::move(path))} {}

    int status() const noexcept { return status_; }
    const std::string& code() const noexcept { return code_; }
    // Where programs know it by another one.
    void use_code(std::string code) { code_ = std::move(code); }
    const std::string& path() const noexcept { return path_; }

    // What the answer says besides, as Allow and Retry-After.
    std::vector<header> headers{};
    // Whoever threw it sees to the log.
    bool logged = false;

    // When asking again may help: the header, in whole seconds, and a member of the error.
    void ask_again_after(duration length);
    std::optional<duration> retry_after() const noexcept { return retry_after_; }

private:
    std::optional<duration> retry_after_{};
    int status_;
    std::string code_;
    std::string path_;
};

refusal bad_request(const std::string& message, std::string path = {});
refusal not_found(const std::string& message);

// {"code", "message", "path"?, "retry_after_ms"?}
boost::json::object json_of(const refusal& why);
answer answer_of(const refusal& why);

// What an error of errand means for the client.
// @param changes whether the request was to change something, which may then have happened
// @param path begins the path of what is at fault
refusal refusal_of(const std::exception_ptr& why, bool changes, const std::string& path = {});

}  // namespace errand::web
