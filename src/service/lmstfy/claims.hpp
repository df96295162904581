// Taking jobs for one request. What was taken for it goes to who asked, or back to its queue.
#pragma once

#include "service/lmstfy/tenant.hpp"

#include <boost/json/object.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace errand::lmstfy {

struct job_wish {
    std::vector<std::string> queues{};  // the first one that has a job is served
    std::size_t count = 1;
    std::chrono::seconds ttr{120};
    std::string worker{};
};

// From the service's loop; what is in it is its tenant's. Destroyed before its jobs have gone, it gives them back.
class job_claim : public std::enable_shared_from_this<job_claim> {
public:
    explicit job_claim(std::shared_ptr<tenant> of) : of_{std::move(of)} {}
    ~job_claim();
    job_claim(const job_claim&) = delete;
    job_claim& operator=(const job_claim&) = delete;

    // Looks once. False: there is nothing yet. Throws store_error.
    awaitable<bool> begin(job_wish wish);
    // Until there is something, at most so long. Can be cancelled.
    awaitable<void> wait(duration longest);
    struct taken_job {
        std::string queue;
        duration elapsed{0};
        boost::json::object text;
    };
    // What there is. Throws store_error.
    awaitable<std::vector<taken_job>> take();
    // They are on their way to who asked; called when he has not got them they go back.
    std::function<void()> let_travel();

private:
    struct contents {
        std::shared_ptr<web::exchange> from{};
        std::shared_ptr<web::claim_order> order{};
        std::vector<web::attempt> all{};
    };
    static void give_back(tenant& of, std::shared_ptr<contents> what);

    const std::shared_ptr<tenant> of_;
    std::shared_ptr<contents> got_ = std::make_shared<contents>();
};

}  // namespace errand::lmstfy
