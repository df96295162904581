// What is done with the jobs of a tenant: publishing, acknowledging, looking. Taking is in claims.hpp, dead letters are in
// dead_letters.hpp. Everything is on the tenant's loop.
#pragma once

#include "service/lmstfy/job.hpp"
#include "service/lmstfy/tenant.hpp"

#include <boost/json/object.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace errand::lmstfy {

struct publication {
    std::string queue;
    job_terms terms;
    std::vector<std::string> data;        // one job for each
    std::optional<task_id> instead_of{};  // a job of the queue that ends with it
    std::optional<std::string> key{};  // published with the same one before and still there: that is answered
};

// All of them or none, as one step; their ids, in order. Throws quota_exceeded, store_error.
awaitable<std::vector<std::string>> publish(tenant& of, publication what);

// Ends a job, whatever it is doing and whoever holds it. What is no job of this queue stays. Returns how long ago it was
// published, of one that was held.
awaitable<std::optional<duration>> acknowledge(tenant& of, std::string queue, task_id id);

// The job that is next, and any job that has not ended. Nullopt: there is none.
awaitable<std::optional<boost::json::object>> peek_head(tenant& of, std::string queue);
awaitable<std::optional<boost::json::object>> peek_job(tenant& of, std::string queue, task_id id);

struct queue_sizes {
    std::size_t ready = 0;
    std::size_t dead = 0;
};
// What has ended by itself is not counted, as far as it is among the first thousand.
awaitable<queue_sizes> sizes_of(tenant& of, std::string queue);

// Ends all ready jobs of a queue.
awaitable<void> destroy(tenant& of, std::string queue);

}  // namespace errand::lmstfy
