#include "redis.hpp"

#include <charconv>
#include <cstdlib>
#include <cstring>

namespace benchmark_floor {

std::int64_t reply::number() const {
    if (node_->type != REDIS_REPLY_INTEGER) throw failure{"Redis answered with no number where one was due"};
    return node_->integer;
}

std::string_view reply::text() const {
    if (node_->type != REDIS_REPLY_STRING) throw failure{"Redis answered with no text where one was due"};
    return {node_->str, node_->len};
}

std::size_t reply::size() const {
    if (node_->type != REDIS_REPLY_ARRAY) throw failure{"Redis answered with no list where one was due"};
    return node_->elements;
}

reply reply::operator[](std::size_t at) const {
    if (at >= size()) throw failure{"Redis answered with a shorter list than was due"};
    return {element{}, node_->element[at]};
}

command& command::start(std::string_view first) {
    text_.clear();
    sizes_.clear();
    return arg(first);
}

command& command::arg(std::string_view word) {
    text_.append(word);
    sizes_.push_back(word.size());
    return *this;
}

command& command::arg(std::int64_t number) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    return arg(std::string_view{digits, end});
}

connection::connection(redisContext* context) : context_{context} {
    if (!context_) throw failure{"no memory for a connection"};
    if (context_->err != 0) throw failure{std::string{"cannot connect to Redis: "} + context_->errstr};
}

connection connection::over_socket() {
    // A Redis on another machine has no socket here.
    if (std::getenv("BENCH_SOCKET") == nullptr) return over_tcp();
    return connection{redisConnectUnix(environment("BENCH_SOCKET"))};
}

connection connection::over_tcp() {
    const char* host = std::getenv("BENCH_HOST");
    return connection{redisConnect(host == nullptr ? "127.0.0.1" : host, environment_number("BENCH_PORT"))};
}

void connection::send(command& what) {
    what.words_.clear();
    const char* word = what.text_.data();
    for (const auto size : what.sizes_) {
        what.words_.push_back(word);
        word += size;
    }
    const auto count = static_cast<int>(what.sizes_.size());
    auto* to = context_.get();
    if (redisAppendCommandArgv(to, count, what.words_.data(), what.sizes_.data()) != REDIS_OK)
        throw failure{std::string{"cannot write to Redis: "} + to->errstr};
}

reply connection::receive() {
    void* answer = nullptr;
    if (redisGetReply(context_.get(), &answer) != REDIS_OK || answer == nullptr)
        throw failure{std::string{"no answer from Redis: "} + context_->errstr};
    auto* node = static_cast<redisReply*>(answer);
    reply whole{node};
    if (node->type == REDIS_REPLY_ERROR)
        throw failure{"Redis refused a call: " + std::string{node->str, node->len}};
    return whole;
}

reply connection::call(command& what) {
    send(what);
    return receive();
}

reply connection::call(std::string_view line) {
    auto end = line.find(' ');
    command words;
    words.start(line.substr(0, end));
    while (end != line.npos) {
        line.remove_prefix(end + 1);
        end = line.find(' ');
        words.arg(line.substr(0, end));
    }
    return call(words);
}

std::string connection::load(std::string_view script) {
    command words;
    words.start("SCRIPT").arg("LOAD").arg(script);
    return std::string{call(words).text()};
}

const char* environment(const char* name) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0')
        throw failure{std::string{name} + " is not set: see benchmarks/README.md"};
    return value;
}

int environment_number(const char* name) {
    const char* value = environment(name);
    const char* end = value + std::strlen(value);
    int number = 0;
    if (std::from_chars(value, end, number).ptr != end || number <= 0)
        throw failure{std::string{name} + " is not a number"};
    return number;
}

}  // namespace benchmark_floor
