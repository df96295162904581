// Pages for monitoring.
#include "runtime/app_core.hpp"
#include "runtime/metrics_page.hpp"
#include "service/calls.hpp"
#include "service/hub.hpp"
#include "service/store_page.hpp"

namespace errand::web {

namespace {

metric_form asked_form(const call& c) {
    const auto* accept = c.in.find_header("Accept");
    return metric_form_of(accept ? std::string_view{*accept} : std::string_view{});
}

answer metrics_answer(std::string text, metric_form form) {
    return {.body = std::move(text), .type = std::string{content_type_of(form)}};
}

}  // namespace

awaitable<answer> show_metrics(call& c) {
    const auto form = asked_form(c);
    co_return metrics_answer(metrics_page(detail::core_of(c.at.app()), form), form);
}

awaitable<answer> show_store_metrics(call& c) {
    auto& shared = c.at.shared();
    if (!shared.figures) shared.figures = std::make_shared<store_page>(shared.app, shared.loop);
    const auto form = asked_form(c);
    auto text = co_await shared.figures->text(form);
    co_return metrics_answer(std::move(text), form);
}

}  // namespace errand::web
