#include "core/collect_rules.hpp"

#include "core/bundles.hpp"
#include "core/member_check.hpp"

#include <string>

namespace errand {

void check_collect(std::string_view handler, const policy& rules, const collect_facts& facts) {
    if (!rules.collect) return;
    const member_check check{handler, "policy"};
    const auto& rule = *rules.collect;
    if (!facts.takes_items) {
        check.refuse(
            "collect", "",
            "perform must take one std::vector of items alone, and return nothing or a std::vector with "
            "a result for each of them");
    }
    if (facts.has_limit_keys) {
        check.refuse(
            "collect", "",
            "a handler that collects cannot have concurrency_key or rate_key: collect_key says which items "
            "are run together");
    }
    check.number("collect.max_size", rule.max_size, 1, most_items);
    if (!rule.max_wait && !rule.grace) {
        check.refuse("collect", "",
                     "needs .max_wait, .grace or both: else a bundle that is not full would never be run");
    }
    if (rule.max_wait) check.length_of_time("collect.max_wait", *rule.max_wait);
    if (rule.grace) check.length_of_time("collect.grace", *rule.grace);
}

void check_collect_key(std::string_view handler, std::string_view key) {
    if (key.size() <= max_collect_key_length) return;
    throw usage_error{"handler " + member_check::quote(handler) + ": collect_key gave a key of " +
                      std::to_string(key.size()) + " bytes; the limit is " +
                      std::to_string(max_collect_key_length) + ": give a shorter one, such as a hash of it"};
}

}  // namespace errand
