// For whom one call looks, of those who ask for the same queues and handlers.
#pragma once

#include "service/exchange.hpp"

namespace errand::web {

// Who asks for one task has it under a claim of his own, whoever is looked for with him; so nobody keeps another one's.
inline bool may_claim_together(const claim_wish& a, const claim_wish& b) {
    const bool may = !a.claims_with.empty() || (a.limit == 1 && b.limit == 1);
    return may && a.claims_with == b.claims_with && a.lease == b.lease && !a.takes && !b.takes &&
           a.strict == b.strict && a.queues == b.queues;
}

// Those whom one call looks for are several who each have a claim of their own.
inline bool have_own_claims(const claim_party& all) {
    return all.size() > 1 && all.front()->wish.claims_with.empty();
}

// Their tasks come each under a claim of its own: also where some are passed on to others who ask.
inline bool claims_apart(const claim_party& all) {
    const auto& first = all.front()->wish;
    return have_own_claims(all) || (first.takes && first.limit > 1);
}

}  // namespace errand::web
