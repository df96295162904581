// What SQLite's result codes mean to those who use errand.
#pragma once

#include "sqlite/connection.hpp"
#include "store/sqlite/address.hpp"

#include <string>
#include <string_view>

namespace errand::sqlite {

bool is_locked(const failure& why);
// It may be over in a while: no room, an input or output error, a lock.
bool may_pass(const failure& why);
// Why a call was not done, in a sentence that says what to do.
std::string in_words(const address& at, const failure& why);
std::string in_words(std::string_view call, const address& at, const failure& why);

}  // namespace errand::sqlite
