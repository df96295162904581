// Each file of scripts/ names all that it uses of the lib_ files, uses nothing that another keeps to itself, and no script
// has more names than Lua allows: an error of Redis's, the first two only when the line is reached.
#include "store/redis/script_set.hpp"
#include "store/redis/script_text.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <vector>

using namespace errand::redis;

namespace {

using names = std::set<std::string, std::less<>>;

// ---- reading Lua, as far as the scripts go ----

struct lua_token {
    std::string_view text;
    std::size_t line;
};

bool is_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::size_t length_of_token(std::string_view code) {
    const auto first = code.front();
    std::size_t length = 1;
    if (first == '\'' || first == '"') {
        while (length < code.size() && code[length] != first) length += code[length] == '\\' ? 2U : 1U;
        return std::min(length + 1, code.size());
    }
    if (is_letter(first)) {
        while (length < code.size() && is_letter(code[length])) ++length;
        return length;
    }
    if (first == '.') return std::min(code.find_first_not_of('.'), code.size());
    for (const std::string_view two : {"==", "~=", "<=", ">="}) {
        if (code.starts_with(two)) return two.size();
    }
    return 1;
}

// Without comments.
std::vector<lua_token> tokens_of(std::string_view code) {
    std::vector<lua_token> tokens;
    for (std::size_t line = 1; !code.empty();) {
        std::size_t length = 1;
        if (code.front() == '\n') {
            ++line;
        } else if (code.starts_with("--")) {
            length = std::min(code.find('\n'), code.size());
        } else if (code.front() != ' ') {
            length = length_of_token(code);
            tokens.push_back({code.substr(0, length), line});
        }
        code.remove_prefix(length);
    }
    return tokens;
}

bool is_name(std::string_view text) {
    static const names words{"and", "break",    "do",     "else", "elseif", "end",   "false",
                             "for", "function", "if",     "in",   "local",  "nil",   "not",
                             "or",  "repeat",   "return", "then", "true",   "until", "while"};
    return !text.empty() && is_letter(text.front()) &&
           std::isdigit(static_cast<unsigned char>(text.front())) == 0 && !words.contains(text);
}

struct lua_reading {
    names own;             // declared outside of all blocks
    names strange;         // used or set, and declared nowhere around
    names set;             // those of the strange ones that are given a value
    names tables;          // that have functions
    names fields;          // used: table.field
    names defined_fields;  // given a value: table.field
    std::size_t most = 0;  // names at a time in one function
};

class lua_reader {
public:
    explicit lua_reader(std::string_view code) : tokens_{tokens_of(code)} {}

    lua_reading read() {
        for (at_ = 0; at_ < tokens_.size(); ++at_) take();
        if (until_ > 0) close();
        CHECK(blocks_.size() == 1);
        return found_;
    }

private:
    struct block {
        bool function;
        std::vector<std::string_view> names{};
    };

    std::string_view ahead(std::size_t by = 0) const {
        return at_ + by < tokens_.size() ? tokens_[at_ + by].text : std::string_view{};
    }

    void take() {
        // The condition behind `until`, all in its line, sees what its block declares.
        if (until_ > 0 && tokens_[at_].line > until_) {
            close();
            until_ = 0;
        }
        const auto text = ahead();
        if (text == "local") return take_declaration();
        if (text == "function") return take_function();
        if (text == "for") return take_counters();
        if (text == "if" || text == "repeat" || text == "do") blocks_.push_back({.function = false});
        if (text == "do") declare_counters();
        if (text == "else" || text == "elseif") clear();
        if (text == "end") close();
        if (text == "until") until_ = tokens_[at_].line;
        if (text == "{") ++braces_;
        if (text == "}" && --braces_ < table_within_) table_ = {};
        if (is_name(text)) take_name(text);
    }

    void take_declaration() {
        if (ahead(1) == "function") {
            declare(ahead(2));
            ++at_;
            return take_function();
        }
        declare(ahead(1));
        for (; ahead(2) == ","; at_ += 2) declare(ahead(3));
        ++at_;
        begin_table(ahead());
    }

    void take_function() {
        ++at_;
        if (is_name(ahead()) && ahead(1) == ".") {
            found_.tables.emplace(ahead());
            found_.defined_fields.insert(field(ahead(), ahead(2)));
            use(ahead(), false);
            at_ += 2;
        } else if (is_name(ahead())) {
            use(ahead(), true);
        }
        while (!ahead().empty() && ahead() != "(") ++at_;
        blocks_.push_back({.function = true});
        for (; !ahead().empty() && ahead() != ")"; ++at_) {
            if (is_name(ahead())) declare(ahead());
        }
    }

    void take_counters() {
        // Lua keeps three of its own.
        counters_ = {"(first)", "(second)", "(third)"};
        for (++at_; !ahead().empty() && ahead() != "=" && ahead() != "in"; ++at_) {
            if (is_name(ahead())) counters_.push_back(ahead());
        }
    }

    void declare_counters() {
        for (const auto one : counters_) declare(one);
        counters_.clear();
    }

    void take_name(std::string_view name) {
        const auto before = at_ > 0 ? tokens_[at_ - 1].text : std::string_view{};
        if (before == "." || before == ":") return;
        if (braces_ > 0 && ahead(1) == "=") {
            if (!table_.empty() && braces_ == table_within_)
                found_.defined_fields.insert(field(table_, name));
            return;
        }
        use(name, is_set_here());
        if ((found_.strange.contains(name) || found_.own.contains(name)) && ahead(1) == "." &&
            is_name(ahead(2)))
            (ahead(3) == "=" ? found_.defined_fields : found_.fields).insert(field(name, ahead(2)));
        begin_table(name);
    }

    // As one of those before a `=`.
    bool is_set_here() const {
        std::size_t by = 1;
        while (ahead(by) == "," && is_name(ahead(by + 1))) by += 2;
        return ahead(by) == "=";
    }

    void begin_table(std::string_view name) {
        if (ahead(1) != "=" || ahead(2) != "{") return;
        table_ = name;
        table_within_ = braces_ + 1;
    }

    void use(std::string_view name, bool sets) {
        if (known_[name] > 0) return;
        found_.strange.emplace(name);
        if (sets) found_.set.emplace(name);
    }

    void declare(std::string_view name) {
        if (blocks_.size() == 1) found_.own.emplace(name);
        blocks_.back().names.push_back(name);
        ++known_[name];
        std::size_t count = 0;
        for (auto one = blocks_.rbegin(); one != blocks_.rend(); ++one) {
            count += one->names.size();
            if (one->function) break;
        }
        found_.most = std::max(found_.most, count);
    }

    void clear() {
        for (const auto name : blocks_.back().names) --known_[name];
        blocks_.back().names.clear();
    }

    void close() {
        REQUIRE(blocks_.size() > 1);
        clear();
        blocks_.pop_back();
    }

    static std::string field(std::string_view table, std::string_view name) {
        return std::string{table}.append(".").append(name);
    }

    std::vector<lua_token> tokens_;
    std::size_t at_ = 0, until_ = 0, braces_ = 0, table_within_ = 0;
    std::string_view table_;  // whose first value is being read
    std::vector<block> blocks_{{.function = true}};
    std::vector<std::string_view> counters_;
    std::map<std::string_view, std::size_t> known_;  // name -> how many declarations of it are around
    lua_reading found_;
};

lua_reading read_lua(std::string_view code) { return lua_reader{code}.read(); }

// ---- files ----

// What its first lines say that it gives; nothing when all outside of its blocks is for others.
names given_by(std::string_view file) {
    constexpr std::string_view gives = "-- Gives:";
    names given;
    while (file.starts_with("--")) {
        const auto line = file.substr(0, std::min(file.find('\n'), file.size()));
        if (line.starts_with(gives)) {
            for (const auto& one : tokens_of(line.substr(gives.size()))) given.emplace(one.text);
        }
        file.remove_prefix(std::min(line.size() + 1, file.size()));
    }
    return given;
}

bool is_library(const errand::embedded_text& file) { return file.name.starts_with("lib_"); }

std::string table_of(const std::string& field) { return field.substr(0, field.find('.')); }

// The file of each name that a lib_ file has for others, and of each field of its tables of functions.
class homes {
public:
    homes() {
        for (const auto& file : script_texts) {
            if (is_library(file)) tables_.merge(read_lua(file.text).tables);
        }
        for (const auto& file : script_texts) {
            if (is_library(file)) add(file);
        }
    }

    const std::map<std::string, std::string_view>& all() const { return all_; }
    bool has_functions(const std::string& table) const { return tables_.contains(table); }

private:
    void add(const errand::embedded_text& file) {
        const auto found = read_lua(file.text);
        const auto given = given_by(file.text);
        auto defined = given.empty() ? found.own : given;
        for (const auto& field : found.defined_fields) {
            if (tables_.contains(table_of(field))) defined.insert(field);
        }
        for (const auto& name : defined) {
            const auto [at, is_new] = all_.emplace(name, file.name);
            INFO(name << " is defined by " << file.name << " and by " << at->second);
            CHECK(is_new);
        }
    }

    names tables_;
    std::map<std::string, std::string_view> all_;
};

std::string_view last_file_of(const script& script) {
    const auto is_last = [&](const errand::embedded_text& file) { return script.text.ends_with(file.text); };
    const auto at = std::ranges::find_if(script_texts, is_last);
    return at == script_texts.end() ? script.name : at->name;
}

}  // namespace

TEST_CASE("what is read of a script tells names of blocks, functions and tables apart") {
    const auto found = read_lua("local a, b = 1, 'local x'  -- local y\n"
                                "local function f(c) return a + c + d end\n"
                                "do\n  local e = {g = 1}\n  h, j = e.i .. k\nend\n"
                                "for key, value in pairs(b) do f(key) end\n"
                                "repeat local l = f() until l == 1\nreturn l, e\n");
    CHECK(found.own == names{"a", "b", "f"});
    CHECK(found.strange == names{"d", "h", "j", "k", "pairs", "l", "e"});
    CHECK(found.set == names{"h", "j"});
    // In the loop: Lua's three with its two, and the three around it.
    CHECK(found.most == 8);
    CHECK(read_lua("local function f(a, b, c)\n  if a then local d else local e end\nend\n").most == 4);

    const auto tables =
        read_lua("local t = {v = 1, w = {z = 2}}\nfunction t.m() return t.v end\nu.x = t.n(o.p)\n");
    CHECK(tables.own == names{"t"});
    CHECK(tables.strange == names{"u", "o"});
    CHECK(tables.tables == names{"t"});
    CHECK(tables.defined_fields == names{"t.v", "t.w", "t.m", "u.x"});
    CHECK(tables.fields == names{"t.v", "t.n", "o.p"});
}

TEST_CASE("a script's file names the files whose functions it uses") {
    const homes home;
    CHECK(home.all().size() > 100);
    for (const auto& file : script_texts) {
        const auto found = read_lua(file.text);
        const auto whole = script_text_of(file.name, script_texts);
        auto used = found.strange;
        for (const auto& field : found.fields) {
            if (home.has_functions(table_of(field))) used.insert(field);
        }
        for (const auto& name : used) {
            // KEYS and ARGV are Redis's own, too.
            if (name == "KEYS" || name == "ARGV") continue;
            const auto at = home.all().find(name);
            INFO(file.name << " uses " << name << " of " << (at == home.all().end() ? "nobody" : at->second));
            if (at == home.all().end()) {
                CHECK(name.find('.') == std::string::npos);
                continue;
            }
            const auto definition =
                std::ranges::find(script_texts, at->second, &errand::embedded_text::name)->text;
            CHECK(whole.find(definition) != std::string::npos);
        }
    }
}

TEST_CASE("a script's file that says what it gives sets all of that") {
    for (const auto& file : script_texts) {
        const auto found = read_lua(file.text);
        for (const auto& name : given_by(file.text)) {
            // By `local` it would be another one.
            INFO(file.name << " gives " << name);
            CHECK(found.set.contains(name));
            CHECK_FALSE(found.own.contains(name));
        }
    }
}

TEST_CASE("a script uses no names but Lua's and those that it declares before") {
    const names of_lua{"ARGV",   "KEYS",  "cjson",    "cmsgpack", "error",  "ipairs",       "math",
                       "next",   "pairs", "pcall",    "redis",    "select", "setmetatable", "string",
                       "struct", "table", "tonumber", "tostring", "type",   "unpack"};
    for (const auto& script : all_scripts()) {
        const auto found = read_lua(script.text);
        for (const auto& name : found.strange) {
            INFO(last_file_of(script) << " uses " << name);
            CHECK(of_lua.contains(name));
        }
    }
}

TEST_CASE("every script has room for ten names more") {
    constexpr std::size_t allowed = 200;  // by Lua, in one function at a time
    for (const auto& script : all_scripts()) {
        const auto most = read_lua(script.text).most;
        INFO(last_file_of(script)
             << " has " << most << " names of " << allowed
             << "; what only one file uses of itself may go into a block (-- Gives: in script_text.hpp)");
        CHECK(most + 10 <= allowed);
    }
}
