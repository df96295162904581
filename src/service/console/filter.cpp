#include "service/console/filter.hpp"

#include "service/console/calls.hpp"

#include <array>

namespace errand::console {
namespace {

constexpr std::array parameters_of_tasks{
    web::field{"state", web::kind::text, "As /v1's list"},
    web::field{"queue", web::kind::text, "Only of this queue"},
    web::field{"handler", web::kind::text, "Only of this handler"},
    web::field{"biz_id", web::kind::text, "Only with this biz_id"},
    web::field{"tag", web::kind::text, "Only with this tag"},
    web::field{"error", web::kind::text, "Only with this in the last error"},
    web::field{"after", web::kind::text, "`next` of the page before"},
    web::field{"limit", web::kind::integer, "So many at most"},
    web::field{"order", web::kind::text, "`newest_first` or `oldest_first`"},
};

template <class Given>
task_filter read_filter(const Given& given) {
    task_filter which;
    which.state = static_cast<state>(web::choice_of(given.text("state").value_or("ready"),
                                                    detail::state_names, "state"));
    which.queue = given.text("queue").value_or("");
    which.handler = given.text("handler").value_or("");
    which.biz_id = given.text("biz_id").value_or("");
    which.tag = given.text("tag").value_or("");
    which.error = given.text("error").value_or("");
    return which;
}

}  // namespace

const web::fields tasks_query{parameters_of_tasks};

task_filter filter_of(const web::parameters& given) { return read_filter(given); }

task_filter filter_of(const web::members& given) { return read_filter(given); }

}  // namespace errand::console
