// Into how many shards the tests of whole apps divide their namespaces, and what these hold.
#pragma once

#include <errand/app.hpp>
#include <errand/config.hpp>

#include "store/store.hpp"

#include <boost/asio/io_context.hpp>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

namespace errand::test {

// ERRAND_TEST_SHARDS, one without it.
inline std::size_t shards_of_tests() {
    const char* given = std::getenv("ERRAND_TEST_SHARDS");
    return given && *given ? std::stoul(given) : 1;
}

// By how much two times of one task may be told in the wrong order: with several servers some are told by an estimate of
// another one's clock, which is late by what an answer took: long where the machine has no time for the test. What is told apart by
// more than that is what a test of several shards can see.
inline duration clocks_apart() { return shards_of_tests() == 1 ? duration{0} : duration{500}; }

// The store of this app, opened once more.
std::unique_ptr<store> opened_store(boost::asio::io_context& io, app& of, std::string name = {});
std::unique_ptr<store> opened_store(boost::asio::io_context& io, const config& settings,
                                    std::string name = {});

// Settings of a namespace of its own, in so many shards whatever is said for all tests.
config settings_in_shards(std::size_t count);

// Such a store with a loop of its own, which has nothing left to do at its end.
struct second_store {
    template <class Of>
    second_store(Of& of_whom, std::string name) : of{opened_store(io, of_whom, std::move(name))} {}
    ~second_store() {
        of->close();
        io.restart();
        io.run();
    }
    second_store(const second_store&) = delete;
    second_store& operator=(const second_store&) = delete;

    boost::asio::io_context io{1};
    std::unique_ptr<store> of;
};

// Whether this app's store keeps nothing of this kind, by the names of docs/internals/storage.md; true where nobody can
// look.
bool keeps_no(const config& settings, const std::string& part);
// Its clock has come so far that the registration of this task is overdue. False where no test can set the clock.
bool make_overdue(const config& settings, const store& in, const task_id& id);

// Of a namespace on the shared Redis.
std::string shard_key(const config& settings, const std::string& part, std::size_t shard = 0);
// Whether a command (HLEN, ZCARD) answers so in every shard.
bool in_all_shards(const config& settings, const std::string& command, const std::string& part,
                   const std::string& answer);

}  // namespace errand::test
