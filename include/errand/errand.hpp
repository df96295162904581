/// All of errand: `#include <errand/errand.hpp>`.
#pragma once

#include <errand/all.hpp>
#include <errand/app.hpp>
#include <errand/awaitable.hpp>
#include <errand/backoff.hpp>
#include <errand/config.hpp>
#include <errand/error.hpp>
#include <errand/graph.hpp>
#include <errand/handle.hpp>
#include <errand/handler.hpp>
#include <errand/inspect.hpp>
#include <errand/json.hpp>
#include <errand/middleware.hpp>
#include <errand/options.hpp>
#include <errand/outcome.hpp>
#include <errand/plan.hpp>
#include <errand/policy.hpp>
#include <errand/proxy.hpp>
#include <errand/stage.hpp>
#include <errand/state.hpp>
#include <errand/task_context.hpp>
#include <errand/task_info.hpp>
#include <errand/time.hpp>
#include <errand/transaction.hpp>
