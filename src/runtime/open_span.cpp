#include "runtime/open_span.hpp"

#include <exception>
#include <utility>

namespace errand {

open_span::open_span(std::shared_ptr<tracer> to, const trace_context* parent, span_kind kind,
                     std::string name)
    : to_{std::move(to)},
      context_{std::make_shared<const trace_context>(span_under(parent))},
      exceptions_{std::uncaught_exceptions()} {
    what_.name = std::move(name);
    what_.kind = kind;
    what_.trace_id = context_->trace_id;
    what_.span_id = context_->span_id;
    if (parent) what_.parent_id = parent->span_id;
    what_.trace_state = context_->state;
    what_.began = std::chrono::system_clock::now();
}

open_span::~open_span() {
    if (!ended_) end(std::uncaught_exceptions() > exceptions_ ? "an exception has ended it" : "");
}

void open_span::end(std::string error) {
    ended_ = true;
    what_.ended = std::chrono::system_clock::now();
    what_.error = std::move(error);
    to_->ended(std::move(what_));
}

}  // namespace errand
