// Several statements in one round trip: the server runs them in order and, when one is refused, none of those behind it.
#include <errand/error.hpp>

#include "sql/postgres/refusal.hpp"
#include "sql/postgres/session.hpp"
#include "sql/statement_text.hpp"

#include <algorithm>

namespace errand::postgres {

// The connection in pipeline mode. Left while answers are to come it stays so, and counts as busy.
class session::pipeline {
public:
    explicit pipeline(PGconn* on) : on_{on} { PQenterPipelineMode(on_); }
    pipeline(const pipeline&) = delete;
    pipeline& operator=(const pipeline&) = delete;
    ~pipeline() { PQexitPipelineMode(on_); }

private:
    PGconn* on_;
};

// A statement that was sent.
struct session::queued {
    std::string key, name;      // of what is prepared; empty: it is not
    bool with_prepare = false;  // it was prepared with it
};

session::queued session::queue(const sql::statement& one, const parameters& with) {
    queued as;
    if (!sql::is_worth_keeping(one.text)) {
        sent(PQsendQueryParams(connection_, one.text.c_str(), with.count(), with.types(), with.values(),
                               with.lengths(), with.formats(), 0),
             one.text);
        return as;
    }
    as.key = with.signature() + one.text;
    if (const auto* known = names_.find(as.key)) {
        as.name = *known;
    } else {
        as.name = "errand_" + std::to_string(++last_name_);
        as.with_prepare = true;
        sent(PQsendPrepare(connection_, as.name.c_str(), one.text.c_str(), with.count(), with.types()),
             one.text);
    }
    sent(PQsendQueryPrepared(connection_, as.name.c_str(), with.count(), with.values(), with.lengths(),
                             with.formats(), 0),
         one.text);
    return as;
}

// A refused preparation says why; what the server left out because of it says nothing.
awaitable<result_ptr> session::answer_to(const queued& one, std::string_view statement) {
    if (!one.with_prepare) {
        auto answer = co_await last_result(statement);
        if (!one.name.empty() && is_refusal(answer.get()) && is_outdated(answer.get())) {
            names_.remove(one.key);
            left_.push_back(one.name);
        }
        co_return answer;
    }
    auto prepared = co_await last_result(statement);
    auto answer = co_await last_result(statement);
    if (is_refusal(prepared.get())) co_return prepared;
    if (auto gone = names_.add(one.key, one.name)) left_.push_back(std::move(*gone));
    co_return answer;
}

awaitable<sql::result> session::run_all(std::vector<sql::statement> all, std::size_t& at) {
    const auto copies = [](const auto& one) { return sql::first_word(one.text) == "COPY"; };
    const auto is_cut = [](const auto& one) { return one.text.find('\0') != one.text.npos; };
    if (!keeps_ || broken_ || all.size() < 2 || std::ranges::any_of(all, copies) ||
        std::ranges::any_of(all, is_cut))
        co_return co_await sql::session::run_all(std::move(all), at);
    at = 0;
    std::vector<parameters> with;
    with.reserve(all.size());
    for (const auto& one : all) with.emplace_back(one.values);
    const under_way guard{*this};
    co_await close_left();
    result_ptr last, refusal;
    {
        const pipeline mode{connection_};
        std::vector<queued> sent_so;
        for (std::size_t place = 0; place < all.size(); ++place)
            sent_so.push_back(queue(all[place], with[place]));
        at = all.size() - 1;
        sent(PQpipelineSync(connection_), all.back().text);
        co_await flushed(all.back().text);
        std::size_t refused = at;
        for (std::size_t place = 0; place < all.size(); ++place) {
            last = co_await answer_to(sent_so[place], all[place].text);
            if (refusal || !is_refusal(last.get())) continue;
            refusal = std::move(last);
            refused = place;
        }
        co_await next_result(all.back().text, nullptr);  // that of the sync
        at = refused;
    }
    if (refusal) refuse(refusal.get(), all[at].text);
    check(last.get(), all.back().text);
    co_return rows_of(last.get());
}

}  // namespace errand::postgres
