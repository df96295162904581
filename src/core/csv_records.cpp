#include "core/csv_records.hpp"

#include <algorithm>
#include <utility>

namespace errand {
namespace {

// Reads one record from the front of a text.
class csv_reader {
public:
    csv_reader(std::string_view text, bool last) : text_{text}, last_{last} {}

    std::optional<csv_record> read() {
        while (field()) {
            if (at_ == text_.size() && !last_) return std::nullopt;
            if (at_ == text_.size()) return ended();
            const char next = text_[at_];
            if (next == ',') {
                ++at_;
                continue;
            }
            if (next == '\r' && at_ + 1 == text_.size() && !last_) return std::nullopt;
            if (next == '\r' && at_ + 1 < text_.size()) ++at_;
            ++at_;
            return ended();
        }
        if (fault_.empty()) return std::nullopt;
        return faulty();
    }

private:
    bool ends_line(std::size_t at) const {
        return text_[at] == '\n' || (text_[at] == '\r' && (at + 1 == text_.size() || text_[at + 1] == '\n'));
    }

    // False: there is no whole field.
    bool field() { return at_ < text_.size() && text_[at_] == '"' ? quoted() : plain(); }

    bool plain() {
        const auto from = at_;
        for (; at_ < text_.size() && text_[at_] != ',' && !ends_line(at_); ++at_) {
            if (text_[at_] == '"') {
                fault_ =
                    "a quote stands inside a field that does not begin with one: put the field in quotes and double "
                    "the quotes in it";
                return false;
            }
        }
        one_.fields.emplace_back(text_.substr(from, at_ - from));
        return true;
    }

    bool quoted() {
        std::string value;
        for (++at_;;) {
            const auto quote = text_.find('"', at_);
            if (quote == text_.npos) return unclosed();
            value += text_.substr(at_, quote - at_);
            at_ = quote + 1;
            if (at_ == text_.size() && !last_) return false;
            if (at_ == text_.size() || text_[at_] != '"') break;
            value += '"';
            ++at_;
        }
        if (at_ < text_.size() && text_[at_] != ',' && !ends_line(at_)) {
            fault_ = "something follows the quote that closes a field: double the quotes inside fields";
            return false;
        }
        one_.fields.push_back(std::move(value));
        return true;
    }

    bool unclosed() {
        if (!last_) return false;
        fault_ =
            "a quote opens here and is not closed before the end of the file: close it, or the file was truncated";
        at_ = 0;
        return false;
    }

    csv_record ended() {
        one_.bytes = at_;
        const auto taken = text_.substr(0, at_);
        one_.lines = static_cast<std::size_t>(std::ranges::count(taken, '\n'));
        if (!taken.ends_with('\n')) ++one_.lines;
        return std::move(one_);
    }

    // To the end of the line in which the fault is.
    std::optional<csv_record> faulty() {
        const auto end = text_.find('\n', at_);
        if (end == text_.npos && !last_) return std::nullopt;
        at_ = end == text_.npos ? text_.size() : end + 1;
        one_.fields.clear();
        one_.fault = std::move(fault_);
        return ended();
    }

    std::string_view text_;
    bool last_;
    std::size_t at_ = 0;
    csv_record one_;
    std::string fault_;
};

}  // namespace

std::optional<csv_record> read_csv_record(std::string_view text, bool last) {
    if (text.empty()) return std::nullopt;
    return csv_reader{text, last}.read();
}

std::size_t csv_record_end::look_in(std::string_view piece) {
    std::size_t at = 0;
    while (at < piece.size() && !is_found()) in_ = after(piece[at++]);
    return at;
}

csv_record_end::inside csv_record_end::after(char next) const noexcept {
    const bool quote = next == '"';
    if (in_ == inside::quotes) return quote ? inside::quote_seen : inside::quotes;
    if (next == '\n') return inside::nothing;
    if (in_ == inside::fault) return inside::fault;
    if (next == ',') return inside::field_begins;
    if (in_ == inside::field_begins) return quote ? inside::quotes : inside::plain;
    if (in_ == inside::quote_seen) return quote ? inside::quotes : inside::fault;
    return quote ? inside::fault : inside::plain;
}

}  // namespace errand
