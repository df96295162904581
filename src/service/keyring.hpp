// Who is let in: by the list of a file, and by the tokens that the store of the service's own namespace keeps. On the service's loop.
#pragma once

#include "runtime/app_core.hpp"
#include "runtime/loop.hpp"
#include "service/message.hpp"
#include "service/token_book.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace errand::web {

class keyring {
public:
    // @param file empty: none. Throws usage_error when it cannot be read. `app` and `home` outlive it.
    keyring(const std::string& file, detail::app_core& app, loop& home);

    // As they are now. Throws refusal (503) when the file cannot be read any more, or does not fit: then nobody is let in.
    const std::vector<token_holder>& now();
    // Those of the file alone.
    const std::vector<token_holder>& in_file();
    // Grows whenever who is let in, or to what, may be another. The same number twice: nothing has changed in between.
    std::uint64_t version();

    // Whether the store has said so far what it keeps.
    bool has_heard() const noexcept { return question_->answered; }
    // Before a request is judged: has the store say what it keeps, as long as it has not, when this request's token may be of those.
    awaitable<void> learn(const request& in);
    // Notes in the request whose token came with it. Throws refusal: 401, 403, and 503 when nobody knows here.
    void admit(request& in, scope needed);

private:
    // Outlives it while it is asked.
    struct store_question {
        bool under_way = false;
        bool answered = false;
    };
    static awaitable<void> ask(loop& home, std::shared_ptr<store_question> what);
    void read_stored();

    detail::app_core& app_;
    loop& home_;
    std::optional<token_book> file_{};
    const std::shared_ptr<store_question> question_ = std::make_shared<store_question>();
    std::shared_ptr<const settings_book::records> seen_{};
    std::string record_{};  // among those
    std::vector<token_holder> stored_{};
    std::uint64_t readings_ = 0;  // of the file
    std::vector<token_holder> all_{};
    std::uint64_t version_ = 1;
};

}  // namespace errand::web
