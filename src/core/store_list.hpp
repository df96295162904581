// The places where tasks are kept, as ERRAND_STORE names them: one URL, or several with commas between.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace errand {

// At the commas before a URL: others are part of one.
std::vector<std::string> store_urls(std::string_view list);

// Whether another server takes over where one of these fails, which takes seconds: a cluster's, or behind Sentinels.
bool fails_over(std::string_view list);

// The same list as a log may have it: without users, passwords and options.
std::string shown_stores(std::string_view list);

}  // namespace errand
