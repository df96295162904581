#include "core/utf8.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>

using errand::first_invalid_utf8;

TEST_CASE("well-formed UTF-8 is accepted whole") {
    for (const std::string text :
         {"", "plain", "ü", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80", "\xF0\x90\x80\x80",
          "\xF4\x8F\xBF\xBF", "a long plain text and then ☃ 𝄞 and more plain text"}) {
        CHECK(first_invalid_utf8(text) == text.size());
    }
    CHECK(first_invalid_utf8(std::string("\0\x7f", 2)) == 2);
}

TEST_CASE("what is not UTF-8 is found where it begins, at any offset") {
    const std::string bad[] = {"\x80",
                               "\xC0\xAF",
                               "\xC1\xBF",
                               "\xE0\x9F\xBF",
                               "\xED\xA0\x80",
                               "\xF0\x8F\xBF\xBF",
                               "\xF4\x90\x80\x80",
                               "\xF5\x80\x80\x80",
                               "\xFF",
                               "\xC3",
                               "\xE2\x98",
                               "\xF0\x9D\x84"};
    for (const std::string& part : bad) {
        for (std::size_t before = 0; before < 20; ++before) {
            CHECK(first_invalid_utf8(std::string(before, 'x') + part) == before);
            CHECK(first_invalid_utf8(std::string(before, 'x') + part + "plain text") == before);
        }
    }
}

TEST_CASE("repairing replaces each byte that is not UTF-8 and nothing else") {
    CHECK(errand::repaired_utf8("grün") == "grün");
    CHECK(errand::repaired_utf8("a\xff\xfe"
                                "b") == "a\uFFFD\uFFFDb");
    CHECK(errand::repaired_utf8("\xC3") == "\uFFFD");
    CHECK(errand::repaired_utf8("") == "");
}

TEST_CASE("a prefix never cuts a character") {
    CHECK(errand::utf8_prefix("aü☃", 6) == "aü☃");
    CHECK(errand::utf8_prefix("aü☃", 5) == "aü");
    CHECK(errand::utf8_prefix("aü☃", 3) == "aü");
    CHECK(errand::utf8_prefix("aü☃", 2) == "a");
    CHECK(errand::utf8_prefix("aü☃", 0) == "");
}
