// THE route table of lmstfy's API. docs/lmstfy.md says what the calls do.
#include "service/lmstfy/answers.hpp"
#include "service/lmstfy/job_calls.hpp"
#include "service/lmstfy/sites.hpp"

#include <array>

namespace errand::lmstfy {
namespace {

using web::route;
using web::scope;

constexpr std::size_t job_limit = std::size_t{1024} * 1024;
// 64 jobs, what stands between them, and some blanks.
constexpr std::size_t bulk_limit = 66 * job_limit;
// PHP's client sends the body of its last publication, a bulk maybe, with all that follows.
constexpr std::size_t thrown_away = bulk_limit;

}  // namespace

std::span<const route> job_routes() noexcept {
    constexpr auto write = request_kind::write;
    constexpr auto read = request_kind::read;
    static const std::array all{
        route{.method = "PUT",
              .path = "/api/{namespace}/{queue}",
              .needs = scope::submit,
              .name = "publish",
              .meaning = "Publishes a job",
              .run = counted<limited<publish_job, write, 201>>,
              .most_body = job_limit},
        route{.method = "PUT",
              .path = "/api/{namespace}/{queue}/bulk",
              .needs = scope::submit,
              .name = "publish_bulk",
              .meaning = "Publishes 1 to 64 jobs, all or none",
              .run = counted<limited<publish_bulk, write, 201>>,
              .most_body = bulk_limit},
        route{.method = "PUT",
              .path = "/api/{namespace}/{queue}/job/{id}",
              .needs = scope::submit,
              .name = "republish",
              .meaning = "Publishes a job in place of another",
              .run = counted<limited<republish_job, write, 201>>,
              .most_body = job_limit},
        route{.method = "GET",
              .path = "/api/{namespace}/{queue}",
              .needs = scope::work,
              .name = "consume",
              .meaning = "Takes jobs",
              .run = counted<limited<consume_jobs, read, 200>>,
              .most_body = thrown_away,
              .drops_body = true},
        route{.method = "DELETE",
              .path = "/api/{namespace}/{queue}/job/{id}",
              .needs = scope::work,
              .name = "acknowledge",
              .meaning = "Ends a job",
              .run = counted<acknowledge_job>,
              .most_body = thrown_away,
              .drops_body = true},
        route{.method = "GET",
              .path = "/api/{namespace}/{queue}/peek",
              .needs = scope::view,
              .name = "peek",
              .meaning = "The job that is next",
              .run = counted<show_head>,
              .most_body = thrown_away,
              .drops_body = true},
        route{.method = "GET",
              .path = "/api/{namespace}/{queue}/job/{id}",
              .needs = scope::view,
              .name = "peek_job",
              .meaning = "One job",
              .run = counted<show_job>,
              .most_body = thrown_away,
              .drops_body = true},
        route{.method = "GET",
              .path = "/api/{namespace}/{queue}/size",
              .needs = scope::view,
              .name = "size",
              .meaning = "How many jobs are ready",
              .run = counted<show_size>,
              .most_body = thrown_away,
              .drops_body = true},
        route{.method = "DELETE",
              .path = "/api/{namespace}/{queue}",
              .needs = scope::work,
              .name = "destroy",
              .meaning = "Ends all ready jobs",
              .run = counted<destroy_queue>,
              .most_body = thrown_away,
              .drops_body = true},
        route{.method = "GET",
              .path = "/api/{namespace}/{queue}/deadletter",
              .needs = scope::view,
              .name = "deadletter",
              .meaning = "How many jobs are dead, and the oldest of them",
              .run = counted<show_dead>,
              .most_body = thrown_away,
              .drops_body = true},
        route{.method = "GET",
              .path = "/api/{namespace}/{queue}/deadletter/size",
              .needs = scope::view,
              .name = "deadletter_size",
              .meaning = "How many jobs are dead",
              .run = counted<show_dead_size>,
              .most_body = thrown_away,
              .drops_body = true},
        route{.method = "PUT",
              .path = "/api/{namespace}/{queue}/deadletter",
              .needs = scope::work,
              .name = "respawn",
              .meaning = "Gives dead jobs one try more",
              .run = counted<respawn_dead>,
              .most_body = thrown_away,
              .drops_body = true},
        route{.method = "DELETE",
              .path = "/api/{namespace}/{queue}/deadletter",
              .needs = scope::work,
              .name = "delete_dead",
              .meaning = "Deletes dead jobs",
              .run = counted<drop_dead>,
              .most_body = thrown_away,
              .drops_body = true},
    };
    return all;
}

}  // namespace errand::lmstfy
