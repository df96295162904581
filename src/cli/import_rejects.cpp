#include "cli/import_rejects.hpp"

#include "core/utf8.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <cerrno>
#include <fstream>
#include <string_view>
#include <system_error>

namespace errand::cli {

namespace json = boost::json;

namespace {

constexpr std::string_view front_of_reject = R"({"line":)";

// Nullopt: it is none.
std::optional<std::uint64_t> line_of_reject(const std::string& text) {
    std::error_code not_json;
    const auto value = json::parse(text, not_json);
    const auto* reject = not_json ? nullptr : value.if_object();
    const auto* line = reject ? reject->if_contains("line") : nullptr;
    if (!line || !reject->contains("reason")) return std::nullopt;
    std::error_code no_number;
    const auto number = line->to_number<std::uint64_t>(no_number);
    return no_number ? std::nullopt : std::optional{number};
}

// What is left of one may be no more than its first byte.
bool may_be_torn(std::string_view text) {
    return text.starts_with(front_of_reject) || front_of_reject.starts_with(text);
}

// The bytes of those up to this line. A process that was killed may have left half of the last one.
std::uint64_t bytes_up_to(const rejects_file& file, std::uint64_t line) {
    std::ifstream in{file.path(), std::ios::binary};
    if (!in) file.throw_unwritable(errno);
    std::uint64_t bytes = 0;
    for (std::string text; std::getline(in, text); bytes += text.size() + 1) {
        const bool torn = in.eof();
        const auto of = line_of_reject(text);
        if (!of && !(torn && may_be_torn(text))) {
            file.refuse("holds something else than rejected lines: name a file that is not there");
        }
        if (torn || *of > line) break;
    }
    return bytes;
}

}  // namespace

import_rejects::import_rejects(const std::string& path, std::optional<std::uint64_t> after) {
    if (path.empty()) return;
    file_.emplace(path);
    if (file_->is_empty()) return;
    if (!after) file_->refuse("is there already: name another file, as this import begins");
    kept_bytes_ = bytes_up_to(*file_, *after);
}

void import_rejects::drop_later() {
    if (kept_bytes_) file_->cut(*kept_bytes_);
}

void import_rejects::add(std::uint64_t line, const std::string& reason, const std::string& text) {
    if (!file_) {
        said_.add(line, reason);
        return;
    }
    const json::object one{{"line", line}, {"reason", repaired_utf8(reason)}, {"text", kept_of_reject(text)}};
    file_->write(json::serialize(one) + '\n');
}

void import_rejects::flush() {
    if (file_) file_->flush();
}

}  // namespace errand::cli
