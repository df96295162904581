#include "service/lmstfy/source.hpp"

#include <errand/awaitable.hpp>
#include <errand/error.hpp>

#include "core/json_quote.hpp"
#include "core/server_url.hpp"
#include "service/lmstfy/names.hpp"
#include "service/target.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/cancel_after.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <array>
#include <stdexcept>
#include <utility>

namespace errand::lmstfy {

namespace asio = boost::asio;
namespace http = boost::beast::http;
namespace json = boost::json;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

constexpr std::chrono::seconds answers_within{30};
constexpr std::size_t most_of_answer = std::size_t{512} << 20U;
constexpr std::size_t most_said_of_answer = 200;
constexpr std::uint16_t usual_port = 7777;

auto within(std::chrono::seconds longest) {
    return asio::cancel_after(longest, asio::as_tuple(asio::use_awaitable));
}

const json::value& need_member(const json::object& in, std::string_view name) {
    if (const auto* value = in.if_contains(name)) return *value;
    throw bad_data{"a job has no \"" + std::string{name} + '"'};
}

std::string need_string(const json::object& in, std::string_view name) {
    const auto& value = need_member(in, name);
    if (value.is_string()) return std::string{value.get_string()};
    throw bad_data{"the \"" + std::string{name} + "\" of a job is no text"};
}

std::int64_t need_count(const json::object& in, std::string_view name) {
    const auto& value = need_member(in, name);
    error_code none;
    const auto number = value.to_number<std::int64_t>(none);
    if (!none && number >= 0) return number;
    throw bad_data{"the \"" + std::string{name} + "\" of a job is no number"};
}

source_job read_job(const json::value& from) {
    if (!from.is_object()) throw bad_data{"a job is no object"};
    auto in = from.get_object();
    source_job one;
    one.id = need_string(in, "job_id");
    one.queue = need_string(in, "queue");
    // An empty one is null to an lmstfy.
    if (!need_member(in, "data").is_null()) one.data = need_string(in, "data");
    one.age = duration{need_count(in, "elapsed_ms")};
    one.ttl = need_count(in, "ttl");
    one.tries = need_count(in, "remain_tries");
    const auto* attributes = in.if_contains("attributes");
    if (attributes && !attributes->is_null()) {
        if (!attributes->is_object()) throw bad_data{"the \"attributes\" of a job are no object"};
        for (const auto& attribute : attributes->get_object()) {
            if (!attribute.value().is_string()) throw bad_data{"an attribute of a job is no text"};
            one.attributes.emplace(attribute.key(), attribute.value().get_string());
        }
    }
    in.erase("data");
    one.text = json::serialize(in);
    return one;
}

}  // namespace

source_address read_source(std::string_view url) {
    static constexpr url_form form{.subject = "--from",
                                   .advice = "write lmstfy://TOKEN@host:7777/namespace/queue"};
    if (server_url::scheme_of(url) != "lmstfy") form.refuse("names no lmstfy");
    const server_url read{url, form};
    source_address at;
    at.host = read.host;
    at.port = read.port.value_or(usual_port);
    if (at.host.empty()) form.refuse("names no host");
    at.token = read.password.empty() ? read.user : read.user + ':' + read.password;
    auto path = read.path.substr(read.path.empty() ? 0 : 1);
    const auto slash = path.find('/');
    at.name_space = path.substr(0, slash);
    if (!is_namespace_name(at.name_space)) form.refuse("names no namespace");
    if (slash != path.npos) at.queues = read_queue_list(path.substr(slash + 1));
    if (at.queues.empty()) form.refuse("names no queue");
    for (const auto& one : at.queues) {
        if (!is_queue_name(one)) form.refuse("names a queue that lmstfy cannot have", one);
    }
    struct nothing {};
    nothing none;
    constexpr std::array<server_url::known_option<nothing>, 0> options{};
    read.read_options(none, options);
    at.shown = read.shown();
    return at;
}

std::vector<source_job> read_source_jobs(std::string_view body) {
    error_code ec;
    const auto document = json::parse(body, ec);
    if (ec) throw bad_data{"it is no JSON"};
    std::vector<source_job> all;
    if (!document.is_array()) {
        all.push_back(read_job(document));
        return all;
    }
    for (const auto& one : document.get_array()) all.push_back(read_job(one));
    return all;
}

// Its connection, which is made when there is none.
class source::line {
public:
    using response = http::response<http::string_body>;

    explicit line(const source_address& at) : at_{at} {}

    response ask(http::verb method, const std::string& path, std::chrono::seconds longest) {
        for (;;) {
            const bool old = socket_.is_open();
            std::optional<response> got;
            std::string why;
            asio::co_spawn(context_, converse(method, path, longest, got, why),
                           [](const std::exception_ptr& failed) {
                               if (failed) std::rethrow_exception(failed);
                           });
            context_.restart();
            context_.run();
            if (got) return std::move(*got);
            close();
            // The server may have ended an old one meanwhile.
            if (!old)
                throw std::runtime_error{at_.shown + " does not answer (" + why +
                                         "): what was taken there comes again, and the same command goes on"};
        }
    }

private:
    awaitable<void> converse(http::verb method, std::string path, std::chrono::seconds longest,
                             std::optional<response>& got, std::string& why) {
        if (!socket_.is_open()) {
            why = co_await connect();
            if (!why.empty()) co_return;
        }
        http::request<http::empty_body> request{method, path, 11};
        const bool v6 = at_.host.find(':') != std::string::npos;
        request.set(http::field::host,
                    (v6 ? '[' + at_.host + ']' : at_.host) + ':' + std::to_string(at_.port));
        request.set("X-Token", at_.token);
        const auto [cut, written] = co_await http::async_write(socket_, request, within(answers_within));
        if (cut) {
            why = cut.message();
            co_return;
        }
        http::response_parser<http::string_body> parser;
        parser.body_limit(most_of_answer);
        const auto [silent, read] = co_await http::async_read(socket_, buffer_, parser, within(longest));
        if (silent) {
            why = silent.message();
            co_return;
        }
        const bool keep = parser.keep_alive();
        got = parser.release();
        if (!keep) close();
    }

    // Why there is none.
    awaitable<std::string> connect() {
        tcp::resolver resolver{context_};
        const auto [unknown, places] =
            co_await resolver.async_resolve(at_.host, std::to_string(at_.port), within(answers_within));
        if (unknown) co_return unknown.message();
        const auto [away, place] = co_await asio::async_connect(socket_, places, within(answers_within));
        if (away) co_return away.message();
        co_return std::string{};
    }

    void close() {
        error_code ignored;
        socket_.close(ignored);
        buffer_.clear();
    }

    const source_address& at_;
    asio::io_context context_{1};
    tcp::socket socket_{context_};
    boost::beast::flat_buffer buffer_;
};

namespace {

template <class Response>
[[noreturn]] void refuse_answer(const source_address& at, const Response& got) {
    const auto status = got.result_int();
    const auto said = " (it answers " + std::to_string(status) + ' ' +
                      detail::quoted_extract(std::string_view{got.body()}.substr(0, most_said_of_answer)) +
                      ')';
    if (status == 401 || status == 403) {
        throw std::runtime_error{at.shown + " does not let this token in" + said +
                                 ": give one of that namespace"};
    }
    throw std::runtime_error{at.shown + " does not do what lmstfy does" + said +
                             ": name the address of its API, a namespace and queues"};
}

}  // namespace

source::source(source_address from)
    : at_{std::move(from)}, front_{"/api/" + at_.name_space + '/'}, line_{std::make_unique<line>(at_)} {}

source::~source() = default;

std::optional<std::vector<source_job>> source::take(std::size_t most, std::chrono::seconds ttr) {
    std::string queues;
    for (const auto& one : at_.queues) queues += (queues.empty() ? "" : ",") + one;
    const auto got = line_->ask(http::verb::get,
                                front_ + queues + "?count=" + std::to_string(most) +
                                    "&timeout=0&ttr=" + std::to_string(ttr.count()),
                                answers_within);
    if (got.result() == http::status::too_many_requests) return std::nullopt;
    // Of an unknown pool it is said otherwise.
    if (got.result() == http::status::not_found && got.body().find("\"error\"") == std::string::npos)
        return std::vector<source_job>{};
    if (got.result() != http::status::ok) refuse_answer(at_, got);
    try {
        return read_source_jobs(got.body());
    } catch (const bad_data& why) {
        throw std::runtime_error{"what " + at_.shown + " answers is not to be read as jobs: " + why.what()};
    }
}

void source::acknowledge(const source_job& one) {
    const auto got = line_->ask(http::verb::delete_,
                                front_ + one.queue + "/job/" + web::percent_encoded(one.id), answers_within);
    if (got.result() != http::status::no_content) refuse_answer(at_, got);
}

std::uint64_t source::sum_of(std::string_view path, std::string_view member) {
    std::uint64_t all = 0;
    for (const auto& one : at_.queues) {
        const auto got = line_->ask(http::verb::get, front_ + one + std::string{path}, answers_within);
        if (got.result() != http::status::ok) refuse_answer(at_, got);
        error_code ec;
        const auto document = json::parse(got.body(), ec);
        const auto* count = !ec && document.is_object() ? document.get_object().if_contains(member) : nullptr;
        const auto number = count ? count->to_number<std::uint64_t>(ec) : 0;
        if (!count || ec) refuse_answer(at_, got);
        all += number;
    }
    return all;
}

}  // namespace errand::lmstfy
