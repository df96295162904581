// What tasks that depend on others ask of the store: registration, news, resolution, revival.
#include <errand/error.hpp>

#include "core/record.hpp"
#include "store/redis/parents.hpp"
#include "store/redis/shard_store.hpp"

namespace errand::redis {
namespace {

constexpr std::size_t edges_per_page = 1000;
constexpr std::size_t edges_forgotten_per_call = 200;

std::string member_of(const task_id& id, tidings what) {
    std::string text{id.view()};
    text.push_back(static_cast<char>(what));
    return text;
}

}  // namespace

awaitable<store::enrol_answer> shard_store::enrol(const task_id& id, incarnation life,
                                                  std::span<const parent_task> parents) {
    script_call call{script_name::enrol, keys_};
    call.arg(id.view());
    call.own_arg(life_bytes(life));
    call.own_arg(parents_text(parents));
    reply answer;
    reply_reader in{answer};
    const auto head = co_await ask(call, answer, in, caller::when_full::fail);
    if (head.word == "lost") co_return enrol_answer{.mine = false};
    const auto gone = read_ids(in.text());
    if (gone.empty()) co_return enrol_answer{};
    co_return enrol_answer{.mine = true, .gone = gone.front()};
}

awaitable<std::vector<standing>> shard_store::depend(const task_id& child, depend_mode mode,
                                                     std::span<const task_id> parents) {
    script_call call{script_name::depend, keys_};
    call.arg(child.view());
    call.own_arg(std::string(1, static_cast<char>(mode)));
    for (const auto& one : parents) call.arg(one.view());
    reply answer;
    reply_reader in{answer};
    co_await ask(call, answer, in);
    std::vector<standing> all;
    for (const char letter : in.text()) all.push_back(static_cast<standing>(letter));
    if (all.size() != parents.size()) throw store_error{"Redis answered for another number of parents"};
    co_return all;
}

awaitable<confirm_verdict> shard_store::confirm(const task_id& id, incarnation life, bool walked) {
    script_call call{script_name::confirm, keys_};
    call.arg(id.view());
    call.own_arg(life_bytes(life));
    call.arg(std::string_view{walked ? "1" : "0"});
    reply answer;
    reply_reader in{answer};
    const auto head = co_await ask(call, answer, in);
    if (head.word == "lost") co_return confirm_verdict::lost;
    if (head.word == "withdrawn") co_return confirm_verdict::withdrawn;
    co_return head.word == "walk" ? confirm_verdict::walk : confirm_verdict::accepted;
}

awaitable<void> shard_store::withdraw(const task_id& id, incarnation life) {
    for (;;) {
        script_call call{script_name::withdraw, keys_};
        name_known(call);
        call.arg(id.view());
        call.own_arg(life_bytes(life));
        call.arg(edges_forgotten_per_call);
        reply answer;
        reply_reader in{answer};
        const auto head = co_await ask(call, answer, in);
        if (head.word != "more") co_return;
    }
}

awaitable<std::vector<links_page>> shard_store::links(link kind, std::span<const links_from> from,
                                                      bool of_waiting) {
    script_call call{script_name::links, keys_};
    call.own_arg(std::string(1, static_cast<char>(kind)));
    call.arg(std::string_view{of_waiting ? "1" : "0"});
    call.arg(edges_per_page);
    for (const auto& one : from) {
        call.arg(one.of.view());
        call.arg(one.after ? one.after->view() : std::string_view{});
    }
    reply answer;
    reply_reader in{answer};
    co_await ask(call, answer, in);
    std::vector<links_page> pages;
    while (!in.done()) {
        links_page page{.others = read_ids(in.text())};
        page.more = in.number() != 0;
        pages.push_back(std::move(page));
    }
    co_return pages;
}

awaitable<news_answer> shard_store::take_news(std::size_t limit, duration lease) {
    script_call call{script_name::news, keys_};
    call.arg(std::string_view{settings_.name});
    call.arg(lease.count());
    call.arg(limit);
    call.arg(heirs_per_call);
    reply answer;
    reply_reader in{answer};
    const auto head = co_await ask(call, answer, in);
    news_answer got;
    got.now = head.now;
    got.next = read_time(in);
    while (!in.done()) got.entries.push_back(read_news(in));
    co_return got;
}

awaitable<std::vector<std::vector<task_id>>> shard_store::resolve(std::span<const resolution> all,
                                                                  std::string_view gathered) {
    script_call call{script_name::resolve, keys_};
    name_known(call);
    call.arg(gathered);
    std::vector<std::pair<std::size_t, task_id>> told;  // in the order in which the script counts them
    for (const auto& one : all) {
        call.arg(one.parent.view());
        call.own_arg(std::string(1, static_cast<char>(one.what)));
        call.arg(std::string_view{one.cancelled});
        call.arg(one.children.size());
        for (const auto& child : one.children) {
            call.arg(child.view());
            told.emplace_back(static_cast<std::size_t>(&one - all.data()), child);
        }
    }
    reply answer;
    reply_reader in{answer};
    co_await ask(call, answer, in);
    std::vector<std::vector<task_id>> again(all.size());
    for (const auto at : read_positions(in)) again[told.at(at).first].push_back(told.at(at).second);
    co_return again;
}

awaitable<void> shard_store::delivered(std::span<const delivery> all) {
    script_call call{script_name::delivered, keys_};
    for (const auto& one : all) {
        call.own_arg(member_of(one.about, one.what));
        call.arg(std::string_view{one.token});
        call.arg(std::string_view{one.last ? "1" : "0"});
        call.arg(one.done.size());
        for (const auto& child : one.done) call.arg(child.view());
    }
    reply answer;
    reply_reader in{answer};
    co_await ask(call, answer, in);
}

awaitable<bool> shard_store::revive(const task_id& id, incarnation life, time_point finished_at,
                                    std::string_view encoded_notes, std::string_view other_body) {
    script_call call{script_name::revive, keys_};
    name_known(call);
    call.arg(id.view());
    call.own_arg(life_bytes(life));
    call.arg(finished_at.time_since_epoch().count());
    call.arg(encoded_notes);
    const bool strange = decode_notes(encoded_notes).unknown_handler > 0;
    call.arg(std::string_view{strange ? "1" : "0"});
    call.arg(other_body);
    reply answer;
    reply_reader in{answer};
    const auto head = co_await ask(call, answer, in);
    co_return head.word == "ok";
}

}  // namespace errand::redis
