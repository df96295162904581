// Keys, and texts that are sealed with them.
#include <errand/error.hpp>

#include "core/base64.hpp"
#include "core/hex.hpp"
#include "core/sealing.hpp"
#include "core/xaes.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <set>

using namespace errand;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

namespace {

encryption_key test_key(const std::string& id, char of) { return {id, std::string(32, of)}; }

sealing sealing_with(std::vector<encryption_key> keys) {
    return sealing{encryption{.keys = std::move(keys)}};
}

const task_id id_of_first = derive_task_id("h", "mine");
const task_id id_of_second = derive_task_id("h", "yours");
const sealed_place place_of_first{.part = 'a', .of = id_of_first, .name = "mail"};

std::string sealed_by(const sealing& with, std::string_view text, sealed_form form = sealed_form::text) {
    return with.seal("shop", place_of_first, form, text);
}

}  // namespace

// The vectors of c2sp.org/XAES-256-GCM: one key for each value of the bit that decides how CMAC's own key is doubled.
TEST_CASE("AES-256-GCM with long nonces is the one that others have, too") {
    const std::string nonce = "ABCDEFGHIJKLMNOPQRSTUVWX";
    const std::string plain = "XAES-256-GCM";
    const xaes_key first{std::string(32, '\1')};
    CHECK(to_hex(first.seal(nonce, plain, "")) == "ce546ef63c9cc60765923609b33a9a1974e96e52daf2fcf7075e2271");
    CHECK(first.open(nonce, first.seal(nonce, plain, ""), "") == plain);
    const xaes_key second{std::string(32, '\3')};
    const std::string_view bound = "c2sp.org/XAES-256-GCM";
    CHECK(to_hex(second.seal(nonce, plain, bound)) ==
          "986ec1832593df5443a179437fd083bf3fdb41abd740a21f71eb769d");
    CHECK(second.open(nonce, second.seal(nonce, plain, bound), bound) == plain);
}

TEST_CASE("what is sealed opens, whatever its length, and nothing of it is seen") {
    const auto keys = sealing_with({test_key("k1", 'x')});
    const auto length = GENERATE(1U, 2U, 3U, 15U, 16U, 17U, 1000U, 1'000'000U);
    std::string plain;
    while (plain.size() < length) plain += "anna@example.org ";
    plain.resize(length);
    const auto sealed = sealed_by(keys, plain);
    CHECK(sealed.starts_with("errand.sealed.1:k1:"));
    if (length > 4) CHECK(sealed.find(plain.substr(0, 5)) == sealed.npos);
    // A little more than a third longer.
    CHECK(sealed.size() <= 19 + (length + 40) * 4 / 3 + 2);
    CHECK(keys.open("shop", place_of_first, sealed) == plain);
    CHECK(sealed_by(keys, plain) != sealed);
}

TEST_CASE("a nonce never comes twice") {
    std::set<std::string> seen;
    for (int n = 0; n < 10'000; ++n) {
        const auto one = fresh_nonce();
        seen.emplace(one.data(), one.size());
    }
    CHECK(seen.size() == 10'000);
}

TEST_CASE("an empty text stays empty, and what is not sealed comes back as it is") {
    const auto keys = sealing_with({test_key("k1", 'x')});
    CHECK(sealed_by(keys, "").empty());
    for (const std::string text :
         {"", "[1,2]", "\"errand\"", "errand.sealed.", "errand.sealed.1:", "errand.sealed.1:k1",
          "errand.sealed.x:k1:AAAA", "errand.sealed.1:k 1:AAAA", R"(["errand.sealed.1:k1:AAAA","b"])"}) {
        INFO(text);
        CHECK_FALSE(read_sealed(text));
        CHECK(keys.open("shop", place_of_first, text) == text);
    }
}

TEST_CASE("where JSON stands, what is sealed is JSON") {
    const auto keys = sealing_with({test_key("k1", 'x')});
    const auto list = sealed_by(keys, R"(["anna",7])", sealed_form::list);
    CHECK(list.starts_with(R"(["errand.sealed.1:k1:)"));
    CHECK(list.ends_with("\"]"));
    CHECK(keys.open("shop", place_of_first, list) == R"(["anna",7])");
    const auto value = sealed_by(keys, "7", sealed_form::value);
    CHECK(value.starts_with(R"("errand.sealed.1:k1:)"));
    CHECK(keys.open("shop", place_of_first, value) == "7");
    const auto read = read_sealed(list);
    REQUIRE(read);
    CHECK(read->key == "k1");
    CHECK(read->version == "1");
}

TEST_CASE("in another place it does not open") {
    const auto keys = sealing_with({test_key("k1", 'x')});
    const auto sealed = sealed_by(keys, "secret");
    CHECK(keys.open("shop", place_of_first, sealed) == "secret");
    CHECK_FALSE(keys.open("mail", place_of_first, sealed));
    CHECK_FALSE(keys.open("shop", {.part = 'r', .of = id_of_first, .name = "mail"}, sealed));
    CHECK_FALSE(keys.open("shop", {.part = 'a', .of = id_of_second, .name = "mail"}, sealed));
    CHECK_FALSE(keys.open("shop", {.part = 'a', .of = id_of_first, .name = "pay"}, sealed));
}

TEST_CASE("whatever is changed of it, it does not open") {
    const auto keys = sealing_with({test_key("k1", 'x')});
    const auto sealed = sealed_by(keys, "secret");
    const std::size_t content = std::string_view{"errand.sealed.1:k1:"}.size();
    for (auto at = content; at < sealed.size(); ++at) {
        auto other = sealed;
        other[at] = other[at] == 'A' ? 'B' : 'A';
        INFO(at);
        CHECK_FALSE(keys.open("shop", place_of_first, other));
    }
    CHECK_FALSE(keys.open("shop", place_of_first, sealed.substr(0, sealed.size() - 4)));
    CHECK_FALSE(keys.open("shop", place_of_first, sealed.substr(0, content)));
    CHECK_FALSE(keys.open("shop", place_of_first, sealed + "!"));
}

TEST_CASE("another key of the same name does not open it") {
    const auto sealed = sealed_by(sealing_with({test_key("k1", 'x')}), "secret");
    const auto other = sealing_with({test_key("k1", 'y')});
    CHECK_FALSE(other.open("shop", place_of_first, sealed));
    CHECK(other.can_open(*read_sealed(sealed)));
    CHECK_THROWS_MATCHES(need_open(&other, sealed, "args:"), bad_data,
                         MessageMatches(ContainsSubstring("was changed since, or belongs to another task")));
}

TEST_CASE("the first key seals, and all of them open") {
    const auto before = sealing_with({test_key("old", 'o')});
    const auto during = sealing_with({test_key("new", 'n'), test_key("old", 'o')});
    const auto after = sealing_with({test_key("new", 'n')});
    const auto kept = sealed_by(before, "kept");
    const auto fresh = sealed_by(during, "fresh");
    CHECK(read_sealed(fresh)->key == "new");
    CHECK(during.open("shop", place_of_first, kept) == "kept");
    CHECK(after.open("shop", place_of_first, fresh) == "fresh");
    CHECK_FALSE(after.open("shop", place_of_first, kept));
    CHECK_THROWS_MATCHES(need_open(&after, kept, "args:"), key_missing,
                         MessageMatches(ContainsSubstring(
                             "args: encrypted with the key old, which this program does not have")));
    CHECK_THROWS_AS(need_open(nullptr, fresh, "args:"), key_missing);
    CHECK_NOTHROW(need_open(nullptr, "[1]", "args:"));
}

TEST_CASE("what was sealed with a key that is not there goes on as it is") {
    const auto theirs = sealing_with({test_key("theirs", 't')});
    const auto ours = sealing_with({test_key("ours", 'o')});
    const auto sealed = sealed_by(theirs, "[1]", sealed_form::list);
    CHECK(ours.seal("shop", place_of_first, sealed_form::list, sealed) == sealed);
    // A text that only looks like one is content like any other.
    const auto twice =
        ours.seal("shop", place_of_first, sealed_form::list, sealed_by(ours, "[1]", sealed_form::list));
    CHECK(ours.open("shop", place_of_first, *ours.open("shop", place_of_first, twice)) == "[1]");
}

TEST_CASE("a later version's text is not taken for one that was changed") {
    const auto keys = sealing_with({test_key("k1", 'x')});
    const std::string later = "errand.sealed.2:k1:AAAA";
    REQUIRE(read_sealed(later));
    CHECK_FALSE(keys.can_open(*read_sealed(later)));
    CHECK_FALSE(keys.open("shop", place_of_first, later));
    CHECK_THROWS_MATCHES(need_open(&keys, later, "args:"), key_missing,
                         MessageMatches(ContainsSubstring("by a later version of errand")));
    CHECK(sealed_by(keys, later) == later);
}

TEST_CASE("keys are read as a file and a variable have them") {
    const std::string zeros(64, '0');
    const std::string base64(43, 'A');
    const auto keys =
        read_encryption_keys("# of the shop\n new:" + base64 + "= # since November\n\n old : " + zeros +
                             ",older:" + base64 + "\r\n");
    REQUIRE(keys.size() == 3);
    CHECK(keys[0].id == "new");
    CHECK(keys[1].id == "old");
    CHECK(keys[2].id == "older");
    for (const auto& one : keys) CHECK(one.secret == std::string(32, '\0'));
    CHECK(read_encryption_keys("# none\n").empty());
}

TEST_CASE("a key that is wrong is refused without its secret") {
    const std::string secret = "c2VjcmV0";
    const auto refused = [&](const std::string& text, const std::string& words) {
        INFO(text);
        CHECK_THROWS_MATCHES(read_encryption_keys(text), usage_error,
                             MessageMatches(ContainsSubstring(words) && !ContainsSubstring(secret)));
    };
    refused(secret, "entry 1 is not of the form id:secret");
    refused("a b:" + secret, "entry 1 is not of the form id:secret");
    refused("k1:" + std::string(64, '0') + ",k2:" + secret, "entry 2, key k2: its secret is not 32 bytes");
    refused("k1:" + std::string(63, '0') + "g", "key k1: its secret is not 32 bytes");
    const auto made = [](std::vector<encryption_key> keys, const std::string& words) {
        CHECK_THROWS_MATCHES(sealing_with(std::move(keys)), usage_error,
                             MessageMatches(ContainsSubstring(words)));
    };
    made({}, "no key was given");
    made({{"k1", "short"}}, "the secret of key k1 has 5 bytes, and needs 32");
    made({test_key("a:b", 'x')}, "\"a:b\" is no id of a key");
    made({test_key("k1", 'x'), test_key("k1", 'y')}, "two keys have the id k1");
}

TEST_CASE("base64 comes back as it was, and only as it was") {
    std::string bytes;
    for (int n = 0; n < 300; ++n) {
        std::string text;
        append_base64(text, bytes);
        CHECK(text.size() == base64_size(bytes.size()));
        CHECK(read_base64(text) == bytes);
        bytes.push_back(static_cast<char>(n * 37));
    }
    CHECK(read_base64("+/8=") == read_base64("-_8"));
    CHECK(padded_base64("") == "");
    CHECK(padded_base64("\xfb\xff") == "+/8=");
    CHECK(padded_base64("a") == "YQ==");
    CHECK(padded_base64("abc") == "YWJj");
    for (const std::string text : {"A", "AB!", "AAAA=A", "AB", "AAB", "===="}) {
        INFO(text);
        CHECK_FALSE(read_base64(text));
    }
}
