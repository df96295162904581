#include "store/redis/script_text.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

namespace errand::redis {
namespace {

constexpr std::string_view needs = "-- Needs:", within = "-- Within:", gives = "-- Gives:";

std::vector<std::string_view> words_of(std::string_view line) {
    std::vector<std::string_view> words;
    while (!line.empty()) {
        const auto from = std::min(line.find_first_not_of(' '), line.size());
        line.remove_prefix(from);
        const auto length = std::min(line.find(' '), line.size());
        if (length > 0) words.push_back(line.substr(0, length));
        line.remove_prefix(length);
    }
    return words;
}

// One script, or one function within it.
class assembly {
public:
    assembly(std::span<const embedded_text> files, const assembly* around) : files_{files}, around_{around} {}

    std::string of(std::string_view last) {
        take(last);
        std::string text = libraries_;
        for (const auto& [function, from] : functions_) {
            text.append("local function ").append(function).append("()\n");
            text.append(assembly{files_, this}.of(from)).append("end\n");
        }
        return text + steps_;
    }

private:
    void take(std::string_view name) {
        if (has(name)) return;
        if (std::ranges::find(open_, name) != open_.end())
            throw std::logic_error{"script file " + std::string{name} + " needs itself"};
        open_.push_back(name);
        const auto text = file(name);
        std::string given;
        for_each_head_line(text, [&](std::string_view line) {
            if (line.starts_with(needs)) {
                for (const auto one : words_of(line.substr(needs.size()))) take(one);
            } else if (line.starts_with(within)) {
                const auto words = words_of(line.substr(within.size()));
                if (words.size() != 2) throw std::logic_error{"a function and a file: " + std::string{line}};
                functions_.emplace_back(words[0], words[1]);
            } else if (line.starts_with(gives)) {
                for (const auto one : words_of(line.substr(gives.size())))
                    given.append(given.empty() ? "local " : ", ").append(one);
            }
        });
        open_.pop_back();
        taken_.push_back(name);
        const bool library = name.starts_with("lib_");
        auto& to = library ? libraries_ : steps_;
        if (given.empty())
            to.append(text);
        else
            to.append(given).append("\ndo\n").append(text).append("end\n");
    }

    template <class Function>
    static void for_each_head_line(std::string_view text, const Function& take_line) {
        while (text.starts_with("--")) {
            const auto end = std::min(text.find('\n'), text.size());
            take_line(text.substr(0, end));
            text.remove_prefix(std::min(end + 1, text.size()));
        }
    }

    bool has(std::string_view name) const {
        return std::ranges::find(taken_, name) != taken_.end() || (around_ && around_->has(name));
    }

    std::string_view file(std::string_view name) const {
        const auto at = std::ranges::find(files_, name, &embedded_text::name);
        if (at == files_.end()) throw std::logic_error{"there is no script file " + std::string{name}};
        return at->text;
    }

    std::span<const embedded_text> files_;
    const assembly* around_;
    std::vector<std::string_view> open_, taken_;
    std::string libraries_, steps_;
    std::vector<std::pair<std::string_view, std::string_view>> functions_;
};

}  // namespace

std::string script_text_of(std::string_view last_file, std::span<const embedded_text> files) {
    return assembly{files, nullptr}.of(last_file);
}

}  // namespace errand::redis
