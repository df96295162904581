#include "store/sqlite/request_counts.hpp"

#include <vector>

namespace errand::sqlite {

request_answer request_counts::count(const request_count& of) {
    const auto now = tx_.micros();
    const std::string_view name{of.name};
    std::vector<request_entry> kept;
    bool any_over = false;
    for (auto rows = sql_.counted_requests(tx_.ns(), name); rows.next();) {
        const request_entry one{.till = rows.number(0), .times = rows.number(1)};
        if (is_over(one, of, now)) {
            any_over = true;
        } else {
            kept.push_back(one);
        }
    }
    const std::int64_t per = of.per.count() * 1000;
    if (any_over) sql_.drop_requests.run(tx_.ns(), name, now - per, now + per);
    sql_.forget_requests.run(tx_.ns(), now);
    const auto got = count_request(kept, of, now);
    if (got.mark != 0) sql_.count_request.run(tx_.ns(), name, got.mark, got.mark + per);
    return got;
}

void request_counts::take_back(const request_count& of, std::int64_t mark) {
    sql_.take_back_request.run(tx_.ns(), std::string_view{of.name}, mark);
    sql_.drop_empty_request.run(tx_.ns(), std::string_view{of.name}, mark);
}

}  // namespace errand::sqlite
