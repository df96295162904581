// Tasks for the console to show, with markup in each field that a user can fill.
#pragma once

#include "browser/browser.hpp"
#include "service/counter.hpp"

#include <string>
#include <vector>

namespace browser_test {

// What somebody may write into any field, hoping that a page takes it for its own.
inline const std::string markup = "<img src=x onerror=\"document.title='taken'\">\"'&lt;";

struct scribe {
    errand::awaitable<std::string> perform(std::string what);
};

errand::service_options with(errand::console_options console = {});
std::string quoted(const std::string& text);
void no_complaints(browser& b);

// Tasks in every state that is easily had: the ids of one that is dead, of a successful, a delayed and a waiting one.
std::vector<std::string> fill(service_test::counter& t);

}  // namespace browser_test

ERRAND_DECLARE_HANDLER(browser_test::scribe, .name = "scribe", .queue = "scribes", .max_retry = 0)
