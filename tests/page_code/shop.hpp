// What the blocks of code in the pages take for granted: the shop that all of them are about.
#pragma once

#include <errand/errand.hpp>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

using namespace std::chrono_literals;

struct order {
    std::string id;
    std::int64_t cents = 0;
    std::vector<std::string> addresses{};
    std::string customer{};
};

struct receipt {
    std::string number;
};

class mailer {
public:
    explicit mailer(std::string url);
    virtual ~mailer() = default;
};
