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

inline bool have_own_claims(const claim_party& all) {
    return all.size() > 1 && all.front()->wish.claims_with.empty();
}

// As the store is told it.
inline duration lease_of(const claim_party& all) {
    const auto lease = all.front()->wish.lease;
    return have_own_claims(all) ? -lease : lease;
}

}  // namespace errand::web
