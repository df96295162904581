// The text by which a claim is known again.
#include "service/ticket.hpp"

#include <catch2/catch_test_macros.hpp>

namespace web = errand::web;

TEST_CASE("a claim's text says again what it was made of, and nothing else is taken for one", "[service]") {
    for (const auto* worker : {"w", "host.example-1.2", "ünïcode, with spaces"}) {
        for (const auto* mark : {"", "0123abcd"}) {
            const web::ticket made{.claim = 1763990000123456,
                                   .mark = mark,
                                   .at = errand::time_point{errand::duration{1763990000123}},
                                   .worker = worker};
            const auto read = web::read_ticket(web::ticket_text(made));
            REQUIRE(read);
            CHECK(read->claim == made.claim);
            CHECK(read->mark == made.mark);
            CHECK(read->at == made.at);
            CHECK(read->worker == made.worker);
        }
    }
    CHECK(web::read_ticket("18446744073709551615.-.0.w"));
    for (const auto* odd : {"", ".", "...", "1", "1.-", "1.-.1", "1.-.1.", "0.-.1.w", "-1.-.1.w", "+1.-.1.w",
                            "1 .-.1.w", "1.-.-1.w", "18446744073709551616.-.1.w", "1.0123ABCD.1.w",
                            "1.0123abc.1.w", "1.0123abcde.1.w", "1..1.w", "1.-.x.w", "1.-.1.a\nb"}) {
        INFO(odd);
        CHECK_FALSE(web::read_ticket(odd));
    }
    CHECK_FALSE(web::read_ticket("1.-.1." + std::string(101, 'w')));
}
