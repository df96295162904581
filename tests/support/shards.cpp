#include "support/shards.hpp"

#include "app/open_store.hpp"
#include "runtime/app_core.hpp"
#include "store/redis/slot.hpp"
#include "support/await.hpp"
#include "support/redis_cluster.hpp"
#include "support/sqlite_backing.hpp"
#include "support/store_kind.hpp"
#include "support/test_app.hpp"

#include <algorithm>

namespace errand::test {

namespace {

std::unique_ptr<store> opened(boost::asio::io_context& io, const config& settings, std::string name,
                              std::shared_ptr<store_home> home) {
    store_settings with;
    with.name = std::move(name);
    with.url = settings.store;
    with.name_space = settings.name_space;
    with.shards = static_cast<unsigned>(settings.shards);
    with.home = std::move(home);
    auto made = open_store(io, std::move(with));
    await(io, made->open());
    return made;
}

std::string tag_of(const config& settings, std::size_t shard) {
    if (!tests_are_in_cluster()) return settings.name_space + "." + std::to_string(shard);
    return redis::spread_tag(settings.name_space, static_cast<unsigned>(shard),
                             static_cast<unsigned>(settings.shards));
}

std::string ask_shard(const config& settings, std::size_t shard, const std::vector<std::string>& words) {
    if (!tests_are_in_cluster()) return shared_redis().command(words);
    return shared_cluster().command(redis::slot_of(tag_of(settings, shard)), words);
}

// What the file of such a URL answers.
std::string ask_file(const config& settings, const std::string& sql) {
    const auto from = settings.store.find('/');
    return sqlite_backing{settings.store.substr(from + 2, settings.store.find('?') - from - 2)}.ask(sql);
}

}  // namespace

std::unique_ptr<store> opened_store(boost::asio::io_context& io, app& of, std::string name) {
    return opened(io, of.settings(), std::move(name), detail::core_of(of).memory);
}

std::unique_ptr<store> opened_store(boost::asio::io_context& io, const config& settings, std::string name) {
    return opened(io, settings, std::move(name), nullptr);
}

config settings_in_shards(std::size_t count) {
    auto settings = fresh_settings();
    settings.shards = count;
    return settings;
}

bool keeps_no(const config& settings, const std::string& part) {
    switch (kind_of_tests()) {
    case store_kind::redis: {
        const bool sorted = part == "links" || part == "outbox";
        return in_all_shards(settings, sorted ? "ZCARD" : "HLEN", part, "1");  // the sentinel
    }
    case store_kind::sqlite: return ask_file(settings, sqlite_backing::query_of(part)) == "0";
    case store_kind::sqlite_memory: break;
    }
    return true;
}

bool make_overdue(const config& settings, const store& in, const task_id& id) {
    switch (kind_of_tests()) {
    case store_kind::redis:
        ask_shard(settings, in.shard_of(id),
                  {"ZADD", shard_key(settings, "outbox", in.shard_of(id)), "1",
                   std::string{id.view()} + 'w'});
        return true;
    case store_kind::sqlite: ask_file(settings, "UPDATE errand_news SET at = 1"); return true;
    case store_kind::sqlite_memory: break;
    }
    return false;
}

std::string shard_key(const config& settings, const std::string& part, std::size_t shard) {
    return "errand:{" + tag_of(settings, shard) + "}:" + part;
}

bool in_all_shards(const config& settings, const std::string& command, const std::string& part,
                   const std::string& answer) {
    for (std::size_t shard = 0; shard < std::max<std::size_t>(settings.shards, 1); ++shard) {
        if (ask_shard(settings, shard, {command, shard_key(settings, part, shard)}) != answer) return false;
    }
    return true;
}

}  // namespace errand::test
