// The tokens that let into lmstfy's API, as the service's own namespace keeps them, for all its servers: what one of them
// changes the others hear at once. On the service's loop.
#pragma once

#include "runtime/app_core.hpp"
#include "runtime/loop.hpp"
#include "service/lmstfy/token_record.hpp"

#include <functional>
#include <map>
#include <memory>
#include <vector>

namespace errand::lmstfy {

class token_shelf {
public:
    token_shelf(detail::app_core& app, loop& home) : app_{app}, home_{home} {}

    // What it knows now. Of a namespace that nobody has a token for: none.
    const std::vector<kept_token>& of(const token_place& where);
    const std::map<token_place, std::vector<kept_token>>& all();

    // Changes them as one step, asked again while others change them too. `alter` says whether there is anything to change.
    // Throws store_error, and what `alter` throws.
    awaitable<void> change(token_place where, std::function<bool(std::vector<kept_token>&)> alter);
    // As they are kept, whatever is known here.
    awaitable<std::vector<kept_token>> read(token_place where);

private:
    void refresh();

    detail::app_core& app_;
    loop& home_;
    std::shared_ptr<const settings_book::records> seen_{};
    std::map<token_place, std::vector<kept_token>> known_;
};

}  // namespace errand::lmstfy
