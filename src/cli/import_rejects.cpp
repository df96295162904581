#include "cli/import_rejects.hpp"

#include <errand/error.hpp>

#include "cli/session.hpp"
#include "cli/terminal.hpp"
#include "core/utf8.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <cerrno>
#include <fcntl.h>
#include <fstream>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace errand::cli {

namespace json = boost::json;

namespace {

constexpr std::uint64_t most_said = 10;
constexpr std::size_t most_of_a_line = 10'000;
constexpr std::string_view front_of_reject = R"({"line":)";

[[noreturn]] void throw_unwritable(const std::string& path, int error) {
    throw usage_error{"--rejects: " + path + " cannot be written: " + std::generic_category().message(error)};
}

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
std::uint64_t bytes_up_to(const std::string& path, std::uint64_t line) {
    std::ifstream in{path, std::ios::binary};
    if (!in) throw_unwritable(path, errno);
    std::uint64_t bytes = 0;
    for (std::string text; std::getline(in, text); bytes += text.size() + 1) {
        const bool torn = in.eof();
        const auto of = line_of_reject(text);
        if (!of && !(torn && may_be_torn(text))) {
            throw usage_error{"--rejects: " + path +
                              " holds something else than rejected lines: name a file that is not there"};
        }
        if (torn || *of > line) break;
    }
    return bytes;
}

}  // namespace

import_rejects::import_rejects(std::string path, std::optional<std::uint64_t> after, std::string noun)
    : path_{std::move(path)}, noun_{std::move(noun)} {
    if (path_.empty()) return;
    const int opened = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (opened < 0) throw_unwritable(path_, errno);
    file_.reset(::fdopen(opened, "ab"));
    if (!file_) {
        const int error = errno;
        ::close(opened);
        throw_unwritable(path_, error);
    }
    struct stat about{};
    if (::fstat(opened, &about) != 0) throw_unwritable(path_, errno);
    // A device is nobody's alone, and holds nothing.
    if (!S_ISREG(about.st_mode)) return;
    lock();
    // Anew: until then another process may have written.
    if (::fstat(opened, &about) != 0) throw_unwritable(path_, errno);
    if (about.st_size == 0) return;
    if (!after) {
        throw usage_error{"--rejects: " + path_ +
                          " is there already: name another file, as this import begins"};
    }
    kept_bytes_ = bytes_up_to(path_, *after);
}

void import_rejects::lock() {
    while (::flock(::fileno(file_.get()), LOCK_EX | LOCK_NB) != 0) {
        if (errno == EINTR) continue;
        if (errno != EWOULDBLOCK) throw_unwritable(path_, errno);
        throw usage_error{"--rejects: another process writes to " + path_ +
                          ": let it end first, or name another file"};
    }
}

void import_rejects::drop_later() {
    if (!kept_bytes_) return;
    if (::ftruncate(::fileno(file_.get()), static_cast<off_t>(*kept_bytes_)) != 0)
        throw_unwritable(path_, errno);
}

void import_rejects::add(std::uint64_t line, const std::string& reason, const std::string& text) {
    if (!file_) {
        if (++said_ > most_said) {
            ++unsaid_;
            return;
        }
        // In the place of a bar.
        if (errors_are_terminal()) std::fputs("\r\x1b[K", stderr);
        complain(noun_ + ' ' + std::to_string(line) + ": " + reason);
        return;
    }
    auto shown = repaired_utf8(utf8_prefix(text, most_of_a_line));
    if (text.size() > most_of_a_line) shown += "...";
    const json::object one{{"line", line}, {"reason", repaired_utf8(reason)}, {"text", shown}};
    const auto written = json::serialize(one) + '\n';
    if (std::fwrite(written.data(), 1, written.size(), file_.get()) != written.size())
        throw_unwritable(path_, errno);
}

void import_rejects::flush() {
    if (file_ && std::fflush(file_.get()) != 0) throw_unwritable(path_, errno);
}

}  // namespace errand::cli
