// What is refused before a request is looked at: framing that two readers could read differently, hosts that the service does
// not have, and pages of other sites. Pure.
#pragma once

#include "service/message.hpp"
#include "service/token_list.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace errand::web {

// Throws refusal (400, 501) for a length or an encoding that is said twice or oddly.
// @param version 10 or 11
void check_framing(const request& in, unsigned version);

// Throws refusal: 400 without exactly one Host header, 403 for another host than those.
// @param own   the address by which this request came; empty: a unix socket, which has none
// @param known further names, in lower case
void check_host(const request& in, const std::string& own, const std::vector<std::string>& known);

// Throws refusal (403) for what a page of another site has a browser ask.
void check_site(const request& in);

// What stands behind "Bearer", or in X-Token; nothing when it is not said once.
std::optional<std::string_view> token_in(const request& in);

// Notes whose token came with it.
void let_in(request& in, const token_holder& by);

// For a call that needs one: notes whose it is. Throws refusal: 401 without a token of the list, 403 with one that is for something else.
void check_token(request& in, const std::vector<token_holder>& all, scope needed);

// Throws refusal (403) of a token that is for some queues: for a call that is about more than those.
void check_reach(const request& in, const route& of);
// The same for this queue. One text, whether there is such a queue or not.
// @param path of what names it
void need_queue(const request& in, std::string_view queue, std::string path = {});

}  // namespace errand::web
