#include "service/keyring.hpp"

#include <errand/error.hpp>

#include "service/checks.hpp"
#include "service/refusal.hpp"
#include "service/stored_tokens.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <spdlog/logger.h>

#include <chrono>
#include <utility>

namespace errand::web {

keyring::keyring(const std::string& file, detail::app_core& app, loop& home) : app_{app}, home_{home} {
    if (!file.empty()) file_.emplace(file);
}

// A list that cannot be read lets nobody in, and keeps out nobody whom the file lets in.
void keyring::read_stored() {
    stored_.clear();
    std::vector<unread_line> passed_over;
    try {
        stored_ = read_token_list(decode_token_record(record_).list, passed_over);
        for (const auto& one : passed_over) {
            app_.log->warn(
                "of the tokens that the store keeps the line of \"{}\" lets nobody in, and it can be revoked by that name: {}",
                one.name, one.why);
        }
    } catch (const error& why) {
        app_.log->warn("the tokens that the store keeps let nobody in: {}", why.what());
    }
}

const std::vector<token_holder>& keyring::in_file() {
    static const std::vector<token_holder> none;
    return file_ ? file_->now() : none;
}

const std::vector<token_holder>& keyring::now() {
    const auto& listed = in_file();
    bool changed = file_ && std::exchange(readings_, file_->readings()) != file_->readings();
    if (auto records = app_.overrides.others(); records != seen_) {
        seen_ = std::move(records);
        const auto at = seen_->find(token_record_name);
        auto record = at == seen_->end() ? std::string{} : at->second;
        if (record != record_) {
            record_ = std::move(record);
            read_stored();
            changed = true;
        }
    }
    if (changed) {
        all_ = listed;
        all_.insert(all_.end(), stored_.begin(), stored_.end());
        ++version_;
    }
    const auto now = std::chrono::system_clock::now();
    const auto over =
        std::erase_if(all_, [&](const token_holder& one) { return one.expires && *one.expires <= now; });
    if (over > 0) ++version_;
    return all_;
}

std::uint64_t keyring::version() {
    try {
        now();
    } catch (const refusal&) {
        // As long as the file cannot be read each look says so anew.
        ++version_;
    }
    return version_;
}

awaitable<void> keyring::ask(loop& home, std::shared_ptr<store_question> what) {
    try {
        co_await home.ready();
        what->answered = true;
    } catch (const store_error&) {
        // Who asks is told so, unless the store is there by then.
    }
    what->under_way = false;
}

awaitable<void> keyring::learn(const request& in) {
    if (question_->answered) co_return;
    const auto token = token_in(in);
    if (!token) co_return;
    if (!holder_of(now(), *token)) co_return co_await ask(home_, question_);
    // Whom the file lets in waits for no store, and is looked for once when it has answered.
    if (!std::exchange(question_->under_way, true))
        boost::asio::co_spawn(home_.executor(), ask(home_, question_), boost::asio::detached);
}

void keyring::admit(request& in, scope needed) {
    const auto& all = now();
    const auto token = token_in(in);
    if (token && !question_->answered && !holder_of(all, *token)) {
        refusal away{503, "unavailable",
                     "the store does not answer, so nobody knows here whether it keeps this token"};
        away.ask_again_after(std::chrono::seconds{1});
        throw away;
    }
    check_token(in, all, needed);
}

}  // namespace errand::web
