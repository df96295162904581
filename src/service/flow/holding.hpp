// Taking tasks for one request.
#pragma once

#include "service/flow/places.hpp"

#include <boost/json/array.hpp>

#include <memory>
#include <string>
#include <vector>

namespace errand::flow {

struct hold_asked {
    struct of_type {
        flow_type type;
        std::size_t limit = 1;
        int weight = 1;
    };
    std::vector<of_type> types{};
    std::size_t limit = 1;
    std::optional<duration> lease{};  // none: as each type says
    duration wait{0};
    std::string worker{};
    std::vector<std::string> stages{};  // only of these; none: whichever they are at
    shown_fields shown{};
};

// What `hold` may say; with `types` of the body of POST /hold. `from` outlives it.
awaitable<hold_asked> read_hold(office at, const boost::json::object& from, std::string path,
                                std::string who);
hold_asked read_hold_of(const flow_type& type, const boost::json::object& from, const std::string& who);

// What was taken for a request, until its answer has it.
class held_tasks {
public:
    explicit held_tasks(std::shared_ptr<web::exchange> from) : from_{std::move(from)} {}
    held_tasks(const held_tasks&) = delete;
    held_tasks& operator=(const held_tasks&) = delete;
    ~held_tasks();

    // The tasks as they are shown. Throws store_error, client_gone.
    awaitable<boost::json::array> take(web::call& c, office at, hold_asked asked);
    // An answer that holds them. They go back when it is not sent.
    void travel_with(web::answer& what);

private:
    awaitable<void> take_now(web::claim_wish wish, duration wait, web::call& c);

    std::shared_ptr<web::exchange> from_;
    std::shared_ptr<web::claim_order> order_{};
    std::vector<web::attempt> all_{};
    bool passed_on_ = false;  // at the last look there was what others are to take
};

// {"batch", "interval_ms", "lease_ms", "version"}, of several types by their names.
boost::json::object config_of(const hold_asked& asked);

}  // namespace errand::flow
