#include "store/sqlite/rule_text.hpp"

#include "core/digits.hpp"

namespace errand::sqlite {
namespace {

constexpr std::string_view not_set = "-", late = " late";

std::string_view take_word(std::string_view& from) {
    const auto blank = from.find(' ');
    const auto word = from.substr(0, blank);
    from.remove_prefix(blank == from.npos ? from.size() : blank + 1);
    return word;
}

}  // namespace

std::string text_of_rule(const limit_rule& rule, arrival how) {
    std::string text = rule.max_running ? std::to_string(*rule.max_running) : std::string{not_set};
    if (!rule.rate) return text + ' ' + std::string{not_set};
    text += ' ' + std::to_string(rule.rate->count) + ' ' + std::to_string(rule.rate->per.count());
    text += ' ' + std::to_string(rule.rate->burst);
    return how == arrival::late ? text.append(late) : text;
}

arrival arrival_in(std::string_view text) { return text.ends_with(late) ? arrival::late : arrival::punctual; }

limit_rule rule_in(std::string_view text) {
    limit_rule rule;
    if (const auto word = take_word(text); word != not_set)
        rule.max_running = static_cast<int>(number_in(word));
    if (const auto word = take_word(text); word != not_set) {
        auto& rate = rule.rate.emplace();
        rate.count = static_cast<int>(number_in(word));
        rate.per = duration{number_in(take_word(text))};
        rate.burst = static_cast<int>(number_in(take_word(text)));
    }
    return rule;
}

}  // namespace errand::sqlite
