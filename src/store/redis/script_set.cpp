#include "store/redis/script_set.hpp"

#include "store/redis/script_texts.hpp"

#include <openssl/evp.h>

#include <array>
#include <stdexcept>
#include <vector>

namespace errand::redis {
namespace {

struct row {
    script_name name;
    std::vector<std::string_view> files;
    // Defined only by a call of `seldom()`, which returns what the last of them does: a script defines its functions
    // anew each time it runs.
    std::vector<std::string_view> seldom{};
    std::vector<std::string_view> then{};  // after that
};

// In the order of script_name. The last file of a row is the one that returns.
const std::vector<row>& rows() {
    using enum script_name;
    static const std::vector<row> table{
        {open, {"lib_base", "lib_make", "open"}},
        {submit_new, {"submit_new"}},
        {submit,
         {"lib_base", "lib_many", "lib_names", "lib_mark", "lib_record", "lib_lane", "lib_wake", "lib_entry",
          "lib_earliest", "submit_read", "submit_place", "submit"}},
        {work,
         {"lib_base", "lib_many", "lib_mark", "lib_names", "lib_lane", "lib_earliest", "lib_due", "lib_take",
          "lib_carry"},
         {"lib_record", "lib_wake", "lib_entry", "lib_body", "lib_end", "lib_again", "finish_trace",
          "finish_wait", "claim_void", "claim_back", "work_seldom"},
         {"finish_end", "finish", "claim_pop", "claim_wait", "claim", "work"}},
        {extend, {"lib_base", "lib_many", "extend"}},
        {note, {"lib_base", "note"}},
        {promote,
         {"lib_base", "lib_many", "lib_names", "lib_mark", "lib_record", "lib_wake", "lib_entry", "lib_body",
          "lib_end", "lib_earliest", "lib_due", "promote"}},
        {recover, {"lib_base", "lib_many", "lib_lane", "lib_take", "lib_carry", "lib_again", "recover"}},
        {clean, {"lib_base", "lib_many", "lib_mark", "lib_record", "lib_body", "lib_end", "clean"}},
        {cancel,
         {"lib_base", "lib_many", "lib_names", "lib_mark", "lib_record", "lib_entry", "lib_body", "lib_end",
          "cancel"}},
        {find, {"lib_base", "lib_many", "lib_names", "lib_record", "lib_entry", "find"}},
        {watch, {"lib_base", "lib_many", "lib_record", "watch"}},
        {beat, {"lib_base", "lib_names", "lib_make", "beat"}},
        {leave, {"lib_base", "lib_names", "lib_wake", "leave"}},
    };
    return table;
}

std::string_view file(std::string_view name) {
    for (const auto& text : script_texts) {
        if (text.name == name) return text.text;
    }
    throw std::logic_error{"no script file " + std::string{name}};
}

std::string sha1(std::string_view text) {
    static constexpr std::string_view digits = "0123456789abcdef";
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    if (EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha1(), nullptr) != 1) {
        throw std::runtime_error{"OpenSSL could not compute the SHA-1 by which Redis names a script"};
    }
    std::string hex;
    for (unsigned at = 0; at < size; ++at) {
        hex.push_back(digits[digest[at] >> 4]);
        hex.push_back(digits[digest[at] & 15]);
    }
    return hex;
}

std::vector<script> put_together() {
    std::vector<script> scripts;
    for (const auto& [name, files, seldom, then] : rows()) {
        std::string text;
        for (const auto part : files) text.append(file(part));
        if (!seldom.empty()) {
            text.append("local function seldom()\n");
            for (const auto part : seldom) text.append(file(part));
            text.append("end\n");
        }
        for (const auto part : then) text.append(file(part));
        auto sha = sha1(text);
        const auto last = then.empty() ? files.back() : then.back();
        scripts.push_back({last.substr(0, last.find('_')), std::move(text), std::move(sha)});
    }
    return scripts;
}

const std::vector<script>& scripts() {
    static const auto all = put_together();
    return all;
}

}  // namespace

const script& script_of(script_name name) { return scripts()[static_cast<std::size_t>(name)]; }
std::span<const script> all_scripts() { return scripts(); }

}  // namespace errand::redis
