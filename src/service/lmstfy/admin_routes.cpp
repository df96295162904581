// THE route table of lmstfy's admin API. docs/lmstfy.md says what the calls do.
#include "service/lmstfy/admin_calls.hpp"
#include "service/lmstfy/sites.hpp"

#include <array>

namespace errand::lmstfy {
namespace {

using web::route;
using web::scope;

web::route admin_route(std::string_view method, std::string_view path, std::string_view name,
                       web::handler run, scope needs = scope::open) {
    return {.method = method, .path = path, .needs = needs, .name = name, .meaning = {}, .run = run};
}

}  // namespace

std::span<const route> admin_routes() noexcept {
    constexpr auto admin = scope::admin;
    static const std::array all{
        admin_route("POST", "/token/{namespace}", "make_token", make_token, admin),
        admin_route("GET", "/token/{namespace}", "list_tokens", list_tokens, admin),
        admin_route("DELETE", "/token/{namespace}/{token}", "delete_token", delete_token, admin),
        admin_route("POST", "/token/{namespace}/{token}/limit", "add_limit", add_limit, admin),
        admin_route("PUT", "/token/{namespace}/{token}/limit", "set_limit", set_limit, admin),
        admin_route("GET", "/token/{namespace}/{token}/limit", "show_limit", show_limit, admin),
        admin_route("DELETE", "/token/{namespace}/{token}/limit", "delete_limit", delete_limit, admin),
        admin_route("GET", "/limits", "list_limits", list_limits, admin),
        admin_route("GET", "/pools", "list_pools", list_pools),
        admin_route("GET", "/info", "info", show_info, admin),
        admin_route("GET", "/version", "version", show_version),
        admin_route("GET", "/accesslog", "access_log", show_access_log),
        admin_route("POST", "/accesslog", "switch_access_log", switch_access_log, admin),
        admin_route("GET", "/metrics", "metrics", show_metrics, admin),
        admin_route("GET", "/healthz", "alive", show_alive),
        admin_route("GET", "/readyz", "ready", show_ready),
    };
    return all;
}

}  // namespace errand::lmstfy
