// Each does one measure of ../README.md's form over HTTP. Settings: `lmstfy=1` asks by lmstfy's API instead of errand's own.
#pragma once

#include "common/measure.hpp"

namespace http_load {

// tasks, connections, size: so many in a request
bench::result publish(const bench::arguments& with);
// tasks, connections, size; fused=1: what is done is said in the request that takes the next
bench::result consume(const bench::arguments& with);
// consumers: so many wait; tasks: so many are published, one by one
bench::result wait(const bench::arguments& with);
// seconds
bench::result idle(const bench::arguments& with);

}  // namespace http_load
