// What the calls about one attempt and those about many have in common.
#pragma once

#include "service/attempt.hpp"
#include "service/refusal.hpp"
#include "service/ticket.hpp"
#include "service/values.hpp"

#include <boost/json/object.hpp>

namespace errand::web {

class exchange;

// Each throws refusal (attempt_words.cpp).
ticket read_claim(const members& given);
spoken read_spoken(const members& given, std::size_t max_payload);

// 409, with why the claim is over.
refusal claim_lost(const std::optional<found_task>& found);

// {"id", "state"}; the same again for a report that counted before. Throws refusal (409) when it does not count.
awaitable<boost::json::object> report_attempt(exchange& work, task_id id, ticket by, spoken said);

// A report that counts: the events of the app, and its log.
void tell_of_attempt(detail::app_core& app, const opened_attempt& of, const attempt& one, const judged& done,
                     time_point now);

}  // namespace errand::web
