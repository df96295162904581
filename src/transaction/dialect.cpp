#include "transaction/dialect.hpp"

#include <errand/error.hpp>

#include "transaction/sql_texts.hpp"

#include <algorithm>
#include <stdexcept>

namespace errand::sql {
namespace {

constexpr std::string_view mark = "-- name: ";

std::string_view trimmed(std::string_view text) {
    const auto from = text.find_first_not_of(" \n");
    if (from == text.npos) return {};
    return text.substr(from, text.find_last_not_of(" \n") + 1 - from);
}

std::span<const script_text> texts_of(std::string_view name) {
    if (name == "sqlite") return sqlite_texts;
    if (name == "postgres") return postgres_texts;
    return mysql_texts;
}

// Lines that are nothing but a comment; those of the tables are for who prints them.
std::string without_comments(std::string_view text) {
    std::string left;
    while (!text.empty()) {
        const auto line = text.substr(0, std::min(text.find('\n'), text.size() - 1) + 1);
        if (!line.starts_with("--")) left += line;
        text.remove_prefix(line.size());
    }
    return std::string{trimmed(left)};
}

void read_file(const script_text& file, std::vector<named_statement>& into) {
    for (auto at = file.text.find(mark); at != file.text.npos;) {
        const auto line = file.text.find('\n', at);
        const auto next = file.text.find(mark, line);
        const auto name = trimmed(file.text.substr(at + mark.size(), line - at - mark.size()));
        const auto text = trimmed(file.text.substr(line, next == file.text.npos ? next : next - line));
        into.push_back({std::string{file.name} + '.' + std::string{name},
                        file.name == "install" ? std::string{text} : without_comments(text)});
        at = next;
    }
}

}  // namespace

dialect::dialect(std::string_view name, bool numbered, bool locks_rows, std::size_t most_parameters)
    : name_{name}, numbered_{numbered}, locks_rows_{locks_rows}, most_parameters_{most_parameters} {
    for (const auto& file : texts_of(name)) read_file(file, all_);
}

const dialect& dialect::of(std::string_view name) {
    static const dialect sqlite{"sqlite", false, false, 32'766};
    static const dialect postgres{"postgres", true, true, 65'535};
    static const dialect mysql{"mysql", false, true, 65'535};
    for (const auto* one : {&sqlite, &postgres, &mysql}) {
        if (one->name_ == name) return *one;
    }
    throw usage_error{"\"" + std::string{name} +
                      "\" is no database that errand knows: sqlite, postgres or mysql"};
}

const std::string& dialect::operator[](std::string_view name) const {
    const auto found = std::ranges::find(all_, name, &named_statement::name);
    if (found == all_.end())
        throw std::logic_error{"sql/" + std::string{name_} + ": there is no statement " + std::string{name}};
    return found->text;
}

std::vector<const named_statement*> dialect::of_file(std::string_view file) const {
    std::vector<const named_statement*> found;
    for (const auto& one : all_) {
        if (one.name.starts_with(file) && one.name.substr(file.size()).starts_with('.'))
            found.push_back(&one);
    }
    return found;
}

std::string dialect::insert(std::string_view head, std::string_view row, std::size_t times) const {
    std::string all{(*this)[head]};
    const auto& one = (*this)[row];
    std::size_t number = 0;
    for (std::size_t n = 0; n < times; ++n) {
        all += n == 0 ? "\n" : ",\n";
        for (const char c : one) {
            all += c;
            if (c == '?' && numbered_) {
                all.back() = '$';
                all += std::to_string(++number);
            }
        }
    }
    return all;
}

}  // namespace errand::sql
