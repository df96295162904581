// THE route table: what can be asked of the service. Requests are dispatched, bodies and queries read, limits set, and
// docs/http.md and /openapi.json written by it. A new call is a row in one of the *routes.cpp and a handler in the file of its subject.
#pragma once

#include <errand/app.hpp>

#include "service/field.hpp"
#include "service/message.hpp"

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace errand::web {

// Who may ask.
enum class scope : unsigned char {
    open,     // anybody
    view,     // who looks
    submit,   // who submits and changes tasks
    work,     // who takes tasks and reports them
    operate,  // who puts right what all of it does: pauses, deletes, sets limits
    admin,    // who uses lmstfy's admin API
};

std::string_view to_string(scope what) noexcept;

struct route;
class exchange;
struct hub;

// What a handler needs of the connection that the request came by, and of the service.
class desk {
public:
    virtual ~desk() = default;
    virtual errand::app& app() noexcept = 0;
    virtual bool stopping() const noexcept = 0;
    // Runs `what`, which only waits, and cancels it when the client hangs up or the service stops; how it ends does not
    // matter. Throws refusal (429) when as many wait as may.
    virtual awaitable<void> wait(awaitable<void> what) = 0;
    // Whether who asked may still do so: an answer without an end asks it as it goes on.
    virtual bool still_may() = 0;
    // Where tasks are taken.
    virtual std::shared_ptr<exchange> work() = 0;
    // What all connections share.
    virtual hub& shared() noexcept = 0;
};

struct call {
    const request& in;
    const route& of;
    std::map<std::string, std::string, std::less<>>
        path;  // what stands in the places of its {names}, decoded
    desk& at;

    const std::string& part(std::string_view name) const { return path.find(name)->second; }
};

using handler = awaitable<answer> (*)(call&);

struct outcome {
    int status = 200;
    std::string_view meaning;
};

struct route {
    std::string_view method;
    std::string_view path;  // with {names}; a part may end in a verb: "{id}:cancel"
    scope needs = scope::open;
    std::string_view name;  // of the operation
    std::string_view meaning;
    handler run = nullptr;
    fields query{};
    fields body{};              // none: a body is read and thrown away
    fields headers{};           // that mean something to this call
    bool large = false;         // its body may be as large as the service takes; others 64 KiB
    std::size_t most_body = 0;  // bytes of its body; 0: as that says
    bool drops_body = false;    // it is not kept while the call is under way
    bool by_queue =
        false;  // it keeps to the queues of a token that is for some; else such a token is refused
    std::span<const outcome> answers{};
    std::string_view example{};                  // a body
    std::string_view type = "application/json";  // of its answer, when all is well
};

std::span<const route> routes() noexcept;

struct found_route {
    const route* of = nullptr;
    std::map<std::string, std::string, std::less<>> path{};
};

// A table is one of those that are there as long as the program runs.

// Whether it is the path of one of them, by whatever method.
bool has_path(std::span<const route> all, std::string_view path);

// Throws refusal: 404 for a path that is none, 405 for a method that it does not have.
found_route route_of(std::span<const route> all, std::string_view method, std::string_view path);

}  // namespace errand::web
