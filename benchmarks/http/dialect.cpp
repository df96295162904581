#include "dialect.hpp"

#include "common/measure.hpp"

#include <charconv>
#include <cstdlib>
#include <functional>

namespace http_load {

namespace {

const char* environment(const char* name) {
    const char* value = std::getenv(name);
    if (value == nullptr) bench::fail(std::string{name} + " is not set: scripts/bench --http sets it");
    return value;
}

std::uint16_t port_in(const char* name) {
    return static_cast<std::uint16_t>(std::strtoul(environment(name), nullptr, 10));
}

// The same task as in all measures.
std::string payload(std::size_t id) { return R"({"id": )" + std::to_string(id) + R"(, "name": "abcdefgh"})"; }

// `head` is a request up to the value of its last header, which is Content-Length.
std::string with_body(std::string_view head, std::string_view body) {
    std::string text;
    text.reserve(head.size() + body.size() + 16);
    text.append(head).append(std::to_string(body.size())).append("\r\n\r\n").append(body);
    return text;
}

[[noreturn]] void refuse(const char* what, const answer& got) {
    bench::fail(std::string{what} + ": answered " + std::to_string(got.status) + ' ' +
                std::string{got.body.substr(0, 200)});
}

// found(text up to the next quotation mark) for what stands behind each `before`.
template <typename Found>
void each_behind(std::string_view text, std::string_view before, Found found) {
    for (auto at = text.find(before); at != text.npos; at = text.find(before, at)) {
        at += before.size();
        const auto end = text.find('"', at);
        if (end == text.npos) bench::fail("an answer ends in the middle of a text");
        found(text.substr(at, end - at));
        at = end;
    }
}

class rest final : public dialect {
public:
    explicit rest(const service& at) : dialect{at.rest_port} {}

    std::size_t most_published() const override { return 1000; }

    std::string publish(std::size_t first, std::size_t count) const override {
        if (count == 1) return with_body(head_of("tasks"), task(first));
        std::string body = R"({"tasks":[)";
        for (std::size_t at = 0; at < count; ++at) body += (at == 0 ? "" : ",") + task(first + at);
        return with_body(head_of("tasks:batch"), body + "]}");
    }

    void read_published(const answer& got, tally& into) const override {
        if (got.status != 201 && got.status != 200) refuse("publish", got);
        each_behind(got.body, R"("id":")", [&](std::string_view id) { into.add(id); });
    }

    std::string take(std::size_t most, std::size_t wait_seconds) const override {
        return with_body(head_of("work:claim"), wish(most, wait_seconds));
    }

    std::vector<job> read_taken(const answer& got) const override {
        if (got.status != 200) refuse("take", got);
        std::vector<job> jobs;
        const auto from = got.body.find(R"("tasks":[)");
        if (from == got.body.npos) refuse("take", got);
        const auto tasks = got.body.substr(from);
        each_behind(tasks, R"({"id":")", [&](std::string_view id) {
            constexpr std::string_view between = R"(","claim":")";
            const auto at = static_cast<std::size_t>(id.data() - tasks.data()) + id.size();
            if (tasks.substr(at, between.size()) != between) return;
            const auto claim = tasks.substr(at + between.size());
            jobs.push_back({.id = id, .claim = claim.substr(0, claim.find('"'))});
        });
        return jobs;
    }

    std::string done(const std::vector<job>& jobs) const override {
        if (jobs.size() > 1) return with_body(head_of("work:report"), reports(jobs) + '}');
        const auto& one = jobs.front();
        return with_body(head_of("tasks/" + std::string{one.id} + ":report"),
                         R"({"claim":")" + std::string{one.claim} + R"(","outcome":"success"})");
    }

    std::string done_and_take(const std::vector<job>& jobs, std::size_t most,
                              std::size_t wait_seconds) const override {
        return with_body(head_of("work:report"),
                         reports(jobs) + R"(,"claim":)" + wish(most, wait_seconds) + '}');
    }

    std::size_t read_done(const answer& got) const override {
        if (got.status != 200) refuse("done", got);
        std::size_t count = 0;
        each_behind(got.body.substr(0, got.body.find(R"("tasks":[)")), R"("state":")",
                    [&](std::string_view state) { count += state == "success" ? 1 : 0; });
        return count;
    }

private:
    static std::string head_of(const std::string& path) {
        return "POST /v1/default/" + path +
               " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ";
    }
    static std::string task(std::size_t id) {
        return R"({"handler":"bench","queue":"bench","args":[)" + payload(id) + "]}";
    }
    static std::string wish(std::size_t most, std::size_t wait_seconds) {
        return R"({"worker":"bench","queues":{"bench":1},"limit":)" + std::to_string(most) +
               R"(,"wait_ms":)" + std::to_string(wait_seconds * 1000) + '}';
    }
    static std::string reports(const std::vector<job>& jobs) {
        std::string text = R"({"reports":[)";
        for (const auto& one : jobs) {
            if (&one != &jobs.front()) text += ',';
            text.append(R"({"id":")").append(one.id).append(R"(","claim":")").append(one.claim);
            text += R"(","outcome":"success"})";
        }
        return text + ']';
    }
};

// With all that lmstfy's own client for Go says in a query.
class lmstfy final : public dialect {
public:
    explicit lmstfy(const service& at)
        : dialect{at.lmstfy_port},
          headers_{" HTTP/1.1\r\nHost: localhost\r\nX-Token: " + at.token + "\r\n"} {}

    std::size_t most_published() const override { return 64; }

    std::string publish(std::size_t first, std::size_t count) const override {
        const std::string query = "?delay=0&ttl=86400&tries=3";
        if (count == 1)
            return with_body("PUT /api/default/bench" + query + headers_ + "Content-Length: ",
                             payload(first));
        std::string body = "[";
        for (std::size_t at = 0; at < count; ++at) body += (at == 0 ? "" : ",") + payload(first + at);
        return with_body("PUT /api/default/bench/bulk" + query + headers_ + "Content-Length: ", body + ']');
    }

    void read_published(const answer& got, tally& into) const override {
        if (got.status != 201) refuse("publish", got);
        each_behind(got.body, R"("job_id":")", [&](std::string_view id) { into.add(id); });
        constexpr std::string_view name = R"("job_ids":)";
        const auto ids = got.body.find(name);
        if (ids == got.body.npos) return;
        const auto all = got.body.substr(ids + name.size());
        for (const auto* before : {R"([")", R"(,")"})
            each_behind(all, before, [&](std::string_view id) { into.add(id); });
    }

    std::string take(std::size_t most, std::size_t wait_seconds) const override {
        return "GET /api/default/bench?ttr=60&count=" + std::to_string(most) +
               "&timeout=" + std::to_string(wait_seconds) + headers_ + "\r\n";
    }

    std::vector<job> read_taken(const answer& got) const override {
        std::vector<job> jobs;
        if (got.status == 404) return jobs;
        if (got.status != 200) refuse("take", got);
        each_behind(got.body, R"("job_id":")",
                    [&](std::string_view id) { jobs.push_back({.id = id, .claim = {}}); });
        return jobs;
    }

    std::string done(const std::vector<job>& jobs) const override {
        if (jobs.size() != 1) bench::fail("lmstfy's API acknowledges one job at a time");
        return "DELETE /api/default/bench/job/" + std::string{jobs.front().id} + headers_ + "\r\n";
    }

    std::string done_and_take(const std::vector<job>&, std::size_t, std::size_t) const override {
        bench::fail("lmstfy's API does not take jobs while it acknowledges others");
    }

    std::size_t read_done(const answer& got) const override {
        if (got.status != 204) refuse("done", got);
        return 1;
    }

private:
    std::string headers_;
};

}  // namespace

void tally::add(std::string_view id) {
    ++count;
    mark += std::hash<std::string_view>{}(id);
}

void tally::add(const tally& other) {
    count += other.count;
    mark += other.mark;
}

service service::of_environment() {
    return {.rest_port = port_in("BENCH_REST_PORT"),
            .lmstfy_port = port_in("BENCH_LMSTFY_PORT"),
            .token = environment("BENCH_LMSTFY_TOKEN"),
            .pid = environment("BENCH_SERVICE_PID")};
}

std::unique_ptr<dialect> rest_of(const service& at) { return std::make_unique<rest>(at); }

std::unique_ptr<dialect> lmstfy_of(const service& at) { return std::make_unique<lmstfy>(at); }

std::size_t count_in(const service& at, std::string_view state) {
    connection to{at.rest_port};
    const auto got = to.ask("GET /v1/default/queues HTTP/1.1\r\nHost: localhost\r\n\r\n");
    if (got.status != 200) refuse("queues", got);
    const auto name = '"' + std::string{state} + "\":";
    const auto queue = got.body.find(R"("name":"bench")");
    if (queue == got.body.npos) return 0;
    const auto from = got.body.find(name, queue);
    if (from == got.body.npos) refuse("queues", got);
    const auto text = got.body.substr(from + name.size());
    std::size_t count = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), count).ec != std::errc{})
        refuse("queues", got);
    return count;
}

bool is_full(const service& at) {
    connection probe{at.rest_port};
    const auto got = probe.ask(with_body(
        "POST /v1/default/work:claim HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ",
        R"({"worker":"probe","queues":{"bench":1},"wait_ms":1})"));
    if (got.status != 200 && got.status != 429) refuse("probe", got);
    return got.status == 429;
}

}  // namespace http_load
