// What the console's pages ask its service, as tests ask it.
#pragma once

#include "service/counter.hpp"

#include <boost/json/object.hpp>

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <utility>
#include <vector>

namespace service_test {

inline const std::string same_site = "Sec-Fetch-Site: same-origin";

inline response post(client& at, const std::string& what, const std::string& body,
                     std::vector<std::string> headers = {same_site}) {
    return at.ask("POST", "/ui/api/" + what, body, std::move(headers));
}

inline boost::json::object view(client& at, const std::string& what) {
    const auto got = at.ask("GET", "/ui/api/view/" + what);
    INFO(got.body);
    REQUIRE(got.status == 200);
    return got.json().as_object();
}

}  // namespace service_test
