// Requests that are counted by a name. In the memory of this process: who counts in another one does so for himself.
#pragma once

#include "store/quota_store.hpp"
#include "store/sqlite/transaction.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>

namespace errand::sqlite {

class request_counts {
public:
    explicit request_counts(transaction& of) : tx_{of} {}

    std::string count(const request_count& of);
    void take_back(const request_count& of, const std::string& mark);

private:
    using times = std::deque<std::int64_t>;

    transaction& tx_;
    std::map<std::pair<std::int64_t, std::string>, times> counted_{};
};

}  // namespace errand::sqlite
