// Names are the same when each of their bytes is.
#include "core/same_name.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>

TEST_CASE("names that differ in a single byte are not the same, however long they are") {
    for (std::size_t size = 0; size < 40; ++size) {
        INFO(size << " bytes");
        std::string name(size, 'a');
        const auto twin = name;
        CHECK(errand::same_name(name, twin));
        CHECK_FALSE(errand::same_name(name, twin + 'a'));
        CHECK_FALSE(errand::same_name(twin + 'a', name));
        for (auto& byte : name) {
            byte = 'b';
            CHECK_FALSE(errand::same_name(name, twin));
            byte = 'a';
        }
    }
}
