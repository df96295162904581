#include "service/checks.hpp"
#include "service/console/desk.hpp"
#include "service/dispatch.hpp"
#include "service/flow/refusals.hpp"
#include "service/flow/routes.hpp"
#include "service/hub.hpp"
#include "service/origins.hpp"
#include "service/site.hpp"

namespace errand::web {
namespace {

bool is_of_flows(const request& in) { return in.path.starts_with("/flow/"); }

class rest_site final : public site {
public:
    rest_site(hub& of, offer what) : hub_{of}, offer_{what} {}

    awaitable<void> ready(const request& in, const std::string& own_address) override {
        if (!hub_.tokens || hub_.tokens->has_heard()) co_return;
        // What is refused whoever asks, and what needs no token, does not wait for the store.
        auto probe = in;
        if (is_of_console_after_checks(probe, own_address) || find_route(probe).of->needs != scope::open)
            co_await hub_.tokens->learn(in);
    }
    found_route judge(request& in, const std::string& own_address) override {
        if (is_of_console_after_checks(in, own_address)) return console::judge(in, hub_);
        auto to = find_route(in);
        // Before the namespace: who may not ask learns nothing of it.
        if (hub_.tokens && to.of->needs != scope::open) hub_.tokens->admit(in, to.of->needs);
        check_namespace(to, hub_.app.settings().name_space);
        check_offered(*to.of);
        check_reach(in, *to.of);
        return to;
    }
    bool still_lets(const request& in, const route& of) override {
        if (!hub_.tokens || of.needs == scope::open) return true;
        request again;
        again.headers = in.headers;
        try {
            if (is_of_console(in)) {
                console::check_who(again, hub_, of.needs);
            } else {
                hub_.tokens->admit(again, of.needs);
            }
            // Who has to do with fewer queues by now asks anew.
            return again.only_queues == in.only_queues;
        } catch (const refusal&) {
            return false;
        }
    }
    answer refused(const refusal& why, const request& in) const override {
        return answer_of(is_of_flows(in) ? flow::as_flows_say(why) : why);
    }
    void complete(answer& what, const request& in) const override {
        const auto& named = hub_.options.origins;
        if (named.empty() || is_of_console(in)) return;
        // Else a cache might answer one's page with what was for another's.
        what.headers.push_back({"Vary", "Origin"});
        if (is_of_origin(in, named)) add_origin(what, in);
    }

private:
    // Its path is one without the prefix from here on. Throws refusal.
    bool is_of_console_after_checks(request& in, const std::string& own_address) const {
        check_host(in, own_address, hub_.options.hosts);
        console::take_prefix(in, hub_.options.console.prefix);
        return is_of_console(in);
    }
    // Of what is not of the console. Throws refusal.
    found_route find_route(const request& in) const {
        if (!is_of_origin(in, hub_.options.origins)) {
            check_site(in);
        } else if (asks_for_leave(in)) {
            return {.of = &leave_route()};
        }
        return route_of(is_of_flows(in) ? flow::routes() : routes(), in.method, in.path);
    }
    bool is_of_console(const request& in) const {
        return offer_ != offer::admin_only && hub_.options.console.offered &&
               has_path(console::routes(), in.path);
    }
    void check_offered(const route& of) const {
        const bool of_admin = of.needs == scope::admin;
        if (offer_ == offer::no_admin && of_admin)
            throw refusal{403, "forbidden", "this call is offered by the service's admin address alone"};
        if (offer_ == offer::admin_only && !of_admin && of.needs != scope::open)
            throw refusal{403, "forbidden", "this address is for calls with the scope admin alone"};
    }

    hub& hub_;
    offer offer_;
};

}  // namespace

std::unique_ptr<site> make_rest_site(hub& of, offer what) { return std::make_unique<rest_site>(of, what); }

}  // namespace errand::web
