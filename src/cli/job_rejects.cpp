#include "cli/job_rejects.hpp"

#include "core/utf8.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <cerrno>
#include <fstream>
#include <system_error>
#include <utility>

namespace errand::cli {

namespace json = boost::json;

namespace {

std::string key_of(std::string_view queue, std::string_view id) {
    return std::string{queue} + '\n' + std::string{id};
}

std::string_view text_in(const json::value& of, std::string_view name) {
    const auto* in = of.if_object();
    const auto* member = in ? in->if_contains(name) : nullptr;
    return member && member->is_string() ? std::string_view{member->get_string()} : std::string_view{};
}

std::string front_of_line(std::string_view from) {
    auto front = json::serialize(json::object{{"from", from}});
    front.back() = ',';
    return front;
}

}  // namespace

job_rejects::job_rejects(const std::string& path, std::string from) : from_{std::move(from)} {
    if (path.empty()) return;
    file_.emplace(path);
    if (!file_->is_empty()) read();
}

// A process that was killed may have left half of the last line: of that job it is told again. And two of one job: the last one holds.
void job_rejects::read() {
    std::ifstream in{file_->path(), std::ios::binary};
    if (!in) file_->throw_unwritable(errno);
    const auto front = front_of_line(from_);
    std::uint64_t bytes = 0;
    bool torn = false;
    for (std::string line; std::getline(in, line); bytes += line.size() + 1) {
        torn = in.eof() && (line.starts_with(front) || front.starts_with(line));
        if (torn) break;
        read_line(line);
    }
    if (torn) file_->cut(bytes);
}

void job_rejects::read_line(const std::string& line) {
    std::error_code not_json;
    const auto value = json::parse(line, not_json);
    const auto id = text_in(value, "job_id"), reason = text_in(value, "reason");
    if (not_json || text_in(value, "from") != from_ || id.empty() || reason.empty()) {
        file_->refuse("holds something else than what was rejected of " + from_ +
                      ": name a file that is not there");
    }
    auto& one = jobs_[key_of(text_in(value, "queue"), id)];
    if (!one.line.empty()) is_stale_ = true;
    one.line = line;
    one.reason = reason;
}

bool job_rejects::has(const std::string& queue, const std::string& id) const {
    const auto known = jobs_.find(key_of(queue, id));
    return known != jobs_.end() && known->second.is_of_this_run;
}

void job_rejects::add(const std::string& queue, const std::string& id, const std::string& reason,
                      const std::string& text) {
    auto& one = jobs_[key_of(queue, id)];
    one.is_of_this_run = true;
    ++count_;
    if (!file_) {
        said_.add(count_, reason);
        return;
    }
    // Its text says another age each time.
    auto why = repaired_utf8(reason);
    if (!one.line.empty() && one.reason == why) return;
    if (!one.line.empty()) is_stale_ = true;
    one.reason = std::move(why);
    one.line = json::serialize(json::object{{"from", from_},
                                            {"queue", queue},
                                            {"job_id", id},
                                            {"reason", one.reason},
                                            {"text", kept_of_reject(text)}});
    file_->write(one.line + '\n');
}

void job_rejects::brought(const std::string& queue, const std::string& id) {
    const auto known = jobs_.find(key_of(queue, id));
    if (known == jobs_.end()) return;
    jobs_.erase(known);
    is_stale_ = true;
}

void job_rejects::flush() {
    if (file_) file_->flush();
}

void job_rejects::finish() {
    flush();
    if (!file_ || !std::exchange(is_stale_, false)) return;
    std::string text;
    for (const auto& [key, one] : jobs_) text += one.line + '\n';
    file_->replace(text);
}

}  // namespace errand::cli
