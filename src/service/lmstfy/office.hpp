// What the requests of lmstfy's two APIs share: tenants, tokens, limits, figures. On the service's loop.
#pragma once

#include "service/hub.hpp"
#include "service/lmstfy/figures.hpp"
#include "service/lmstfy/tenant.hpp"
#include "service/lmstfy/token_shelf.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace errand::lmstfy {

// Who asks, once his token was looked at.
struct badge {
    std::shared_ptr<tenant> of;
    std::array<unsigned char, 32> counted_as{};  // see count_key(); of who has a limit
    std::string shown;  // the name under which his token is listed; empty: he needed none
    std::optional<request_limit> limit{};
};

class office {
public:
    // `of` outlives it.
    explicit office(web::hub& of);

    const lmstfy_options& options() const noexcept { return hub_.options.lmstfy; }
    loop& home() noexcept { return home_; }
    token_shelf& tokens() noexcept { return tokens_; }
    job_figures& figures() noexcept { return figures_; }
    detail::app_core& core() noexcept { return core_; }

    bool has_pool(std::string_view name) const;
    std::vector<std::string> pools() const;
    // Throws refusal (503) when there are too many, or its store cannot be used.
    std::shared_ptr<tenant> tenant_of(const token_place& where);
    // Those that were asked for so far.
    std::vector<std::shared_ptr<tenant>> tenants() const;
    // Those of which something is to be said: besides, all that have tokens, as long as they do not keep others out.
    std::vector<std::shared_ptr<tenant>> shown_tenants();
    // After the last request.
    awaitable<void> stop();

private:
    web::hub& hub_;
    detail::app_core& core_;
    loop& home_;
    token_shelf tokens_;
    job_figures figures_;
    std::map<token_place, std::shared_ptr<tenant>> tenants_;
};

// The one of this service, made at the first call.
office& office_of(web::hub& of);

}  // namespace errand::lmstfy
