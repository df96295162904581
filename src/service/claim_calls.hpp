// What is asked for by a claim, in a request of its own and with reports.
#pragma once

#include "service/exchange.hpp"
#include "service/field.hpp"
#include "service/message.hpp"
#include "service/route.hpp"
#include "service/values.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace errand::web {

inline constexpr field lease_member{
    "lease_ms", kind::integer,
    "1000 to 86400000: what is not reported, and not extended, so long after is taken for lost and goes to another. "
    "Without: the `lease` that the service is configured with"};
// `otherwise`: where none is given.
duration lease_of(const members& given, duration otherwise);

struct claim_asked {
    claim_wish wish;
    duration wait{0};
};
// Throws refusal. `path`: of the object in the body.
claim_asked read_claim_asked(const request& in, const boost::json::object& from, const std::string& path,
                             duration lease);

// What was claimed for a request, until its answer has it.
class claimed_tasks {
public:
    explicit claimed_tasks(std::shared_ptr<exchange> from) : from_{std::move(from)} {}
    claimed_tasks(const claimed_tasks&) = delete;
    claimed_tasks& operator=(const claimed_tasks&) = delete;
    ~claimed_tasks() {
        if (order) from_->leave(order);
        from_->give_back(all);
    }

    std::shared_ptr<claim_order> order{};
    std::vector<attempt> all{};

    // An answer that holds them. They go back when it is not sent.
    void travel_with(answer& what) {
        what.unsent = [from = from_, given = std::exchange(all, {})] { from->give_back(given); };
    }

private:
    std::shared_ptr<exchange> from_;
};

// The tasks of this claim as JSON, once there are any or the wait is over.
awaitable<boost::json::array> claim_for(call& c, exchange& work, claim_asked asked, claimed_tasks& got);

// To an answer that is an object: as a member of that object before it is written it would be copied.
template <class Value>
void add_member(answer& to, std::string_view name, const Value& value) {
    const auto text = boost::json::serialize(value);
    to.body.pop_back();
    if (to.body.size() > 1) to.body += ',';
    to.body.append(1, '"').append(name).append("\":").append(text).append(1, '}');
}

}  // namespace errand::web
