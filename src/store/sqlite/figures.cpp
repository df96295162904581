#include "store/sqlite/figures.hpp"

namespace errand::sqlite {

void figures::add(std::span<const handler_count> counts) {
    const auto now = period();
    sql_.drop_figures.run(tx_.ns(), now - figures_store::figures_kept);
    for (const auto& one : counts)
        sql_.add_figure.run(tx_.ns(), now, std::string_view{one.handler}, one.what, one.times);
}

figures_answer figures::all() {
    figures_answer got{.now = tx_.time()};
    for (auto rows = sql_.all_figures(tx_.ns(), period() - figures_store::figures_kept); rows.next();)
        got.counts.push_back({.handler = std::string{rows.bytes(0)},
                              .what = static_cast<int>(rows.number(1)),
                              .times = rows.number(2)});
    return got;
}

}  // namespace errand::sqlite
