#include "service/dispatch.hpp"

#include <errand/proxy.hpp>

#include "core/attempt_rules.hpp"
#include "runtime/app_core.hpp"
#include "service/site.hpp"

#include <spdlog/logger.h>

namespace errand::web {

void check_namespace(const found_route& found, const std::string& served) {
    // Whether there is another namespace of that name is not said.
    const auto asked = found.path.find("namespace");
    if (asked != found.path.end() && asked->second != served)
        throw not_found("this service does not serve the namespace in the path");
}

awaitable<answer> run_route(const request& in, found_route found, desk& at, const site& of) {
    call one{.in = in, .of = *found.of, .path = std::move(found.path), .at = at};
    std::exception_ptr failed;
    try {
        co_return co_await one.of.run(one);
    } catch (const client_gone&) {
        throw;
    } catch (...) {
        failed = std::current_exception();
    }
    const auto why = refusal_of(failed, in.method != "GET" && in.method != "HEAD");
    if (why.status() >= 500 && !why.logged) {
        detail::core_of(at.app()).log->warn("request {}, {} {}: {}", in.id, in.method, of.shown_path(in.path),
                                            describe(failed).message);
    }
    co_return of.refused(why, in);
}

}  // namespace errand::web
