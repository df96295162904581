#include "core/store_list.hpp"

#include <algorithm>

namespace errand {

namespace {

// Letters, digits and a plus, then "://".
bool begins_url(std::string_view text) {
    const auto end = text.find("://");
    return end != text.npos && end > 0 &&
           text.substr(0, end).find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789+") == text.npos;
}

// A user and a password stand before the last @ of what comes before the first slash; they may have a ? in them.
std::string shown_store(std::string_view url) {
    std::string text;
    if (const auto colon = url.find("://"); colon != url.npos) {
        text = url.substr(0, colon + 3);
        url.remove_prefix(colon + 3);
        const auto at = url.substr(0, url.find('/')).rfind('@');
        if (at != url.npos) url.remove_prefix(at + 1);
    }
    return text += url.substr(0, url.find('?'));
}

}  // namespace

std::vector<std::string> store_urls(std::string_view list) {
    std::vector<std::string> urls{""};
    for (std::size_t from = 0; from <= list.size();) {
        const auto comma = std::min(list.find(',', from), list.size());
        auto item = list.substr(from, comma - from);
        while (item.starts_with(' ')) item.remove_prefix(1);
        const bool begins = from == 0 || begins_url(item);
        if (from > 0 && begins) urls.emplace_back();
        if (from > 0 && !begins) item = list.substr(from - 1, comma - from + 1);
        urls.back() += item;
        from = comma + 1;
    }
    return urls;
}

bool fails_over(std::string_view list) {
    return std::ranges::any_of(store_urls(list), [](const std::string& url) {
        const auto scheme = url.substr(0, url.find("://"));
        return scheme.ends_with("+cluster") || scheme.ends_with("+sentinel");
    });
}

std::string shown_stores(std::string_view list) {
    std::string all;
    for (const auto& url : store_urls(list)) all += (all.empty() ? "" : ", ") + shown_store(url);
    return all;
}

}  // namespace errand
