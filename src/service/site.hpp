// What is asked for at some of the service's addresses: a route table, who may use it, and how it says no. On the service's loop.
#pragma once

#include "service/refusal.hpp"
#include "service/route.hpp"

#include <memory>
#include <string>

namespace errand::web {

class site {
public:
    virtual ~site() = default;

    // Before a request is judged, so that what that takes is known here. Throws whatever it does not come by.
    // @param own_address as judge() has it
    virtual awaitable<void> ready(const request& /*in*/, const std::string& /*own_address*/) { co_return; }
    // Where it goes, and whether who asks may, by its headers alone; notes in it who that is. Throws refusal.
    // @param own_address by which it came; empty: a unix socket
    virtual found_route judge(request& in, const std::string& own_address) = 0;
    // Whether who asked, and was let in, still would be.
    virtual bool still_lets(const request& /*in*/, const route& /*of*/) { return true; }
    // How it says no to this request.
    virtual answer refused(const refusal& why, const request& /*in*/) const { return answer_of(why); }
    // What its answers say besides, whatever they are.
    virtual void complete(answer& /*what*/, const request& /*in*/) const {}
    // What of a path may be written down.
    virtual std::string shown_path(const std::string& path) const { return path; }
    // After the last request.
    virtual awaitable<void> stop() { co_return; }
};

// What an address of errand's own interface offers.
enum class offer : unsigned char {
    all,         // all of it
    no_admin,    // but what takes the scope admin, which has an address of its own
    admin_only,  // that alone
};

// errand's own interface. `of` outlives it.
std::unique_ptr<site> make_rest_site(hub& of, offer what);

}  // namespace errand::web
