#include "limits/handlers.hpp"

ERRAND_DEFINE_HANDLER(limits_test::pair_of)
ERRAND_DEFINE_HANDLER(limits_test::single)
ERRAND_DEFINE_HANDLER(limits_test::moody)
ERRAND_DEFINE_HANDLER(limits_test::visit)
ERRAND_DEFINE_HANDLER(limits_test::post)
ERRAND_DEFINE_HANDLER(limits_test::read_crm)
ERRAND_DEFINE_HANDLER(limits_test::write_crm)
ERRAND_DEFINE_HANDLER(limits_test::foreman)
ERRAND_DEFINE_HANDLER(limits_test::nightly)
ERRAND_DEFINE_HANDLER(limits_test::call_slowly)
