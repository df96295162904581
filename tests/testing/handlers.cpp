#include "testing/handlers.hpp"

ERRAND_DEFINE_HANDLER(harness_test::send_receipt)
ERRAND_DEFINE_HANDLER(harness_test::write_line)
ERRAND_DEFINE_HANDLER(harness_test::write_aside)
ERRAND_DEFINE_HANDLER(harness_test::refuse)
ERRAND_DEFINE_HANDLER(harness_test::nest)
ERRAND_DEFINE_HANDLER(harness_test::nap)
ERRAND_DEFINE_HANDLER(harness_test::dawdle)
ERRAND_DEFINE_HANDLER(harness_test::wait_for)
ERRAND_DEFINE_HANDLER(harness_test::two_stages)
ERRAND_DEFINE_HANDLER(harness_test::needs_bean)
