// Which database the tests run on: ERRAND_TEST_DATABASE, sqlite when it is not set.
#pragma once

#include <string_view>

namespace errand::test {

// "sqlite", "postgres" or "mysql".
std::string_view database_kind();

}  // namespace errand::test
