#include "transaction/mysql/commit_text.hpp"

#include "transaction/mysql/rows.hpp"

#include <string_view>

namespace errand::mysql {
namespace {

namespace db = boost::mysql;

// What is longer is quicker with its values as they are.
constexpr std::size_t longest = std::size_t{64} * 1024;

void append(db::format_context& to, const sql::statement& one) {
    std::string_view rest = one.text;
    for (const auto& value : fields_of(one.values)) {
        const auto at = rest.find('?');
        to.append_raw(db::runtime(rest.substr(0, at)));
        // As hexadecimal digits, which mean the same in whatever character set the user's statements have chosen.
        if (value.is_string()) {
            const std::string_view text = value.get_string();
            to.append_value(db::blob_view{reinterpret_cast<const unsigned char*>(text.data()), text.size()});
        } else {
            to.append_value(value);
        }
        rest.remove_prefix(at + 1);
    }
    to.append_raw(db::runtime(rest));
}

}  // namespace

std::optional<std::string> commit_text(const std::vector<sql::statement>& all, db::format_options how) {
    db::format_context text{how};
    for (const auto& one : all) {
        if (&one != &all.front()) text.append_raw(";");
        append(text, one);
    }
    auto got = std::move(text).get();
    if (got.has_error() || got->size() > longest) return std::nullopt;
    return std::move(*got);
}

}  // namespace errand::mysql
