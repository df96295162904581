// Prepared statements of one connection, at most so many: the one not used for longest leaves first.
#pragma once

#include <cstddef>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace errand::sql {

template <class Prepared>
class statement_cache {
public:
    explicit statement_cache(std::size_t most) : most_{most} {}

    // Null when it is not there. Good until the next add() or remove().
    const Prepared* find(const std::string& key) {
        const auto found = places_.find(key);
        if (found == places_.end()) return nullptr;
        order_.splice(order_.begin(), order_, found->second);
        return &found->second->second;
    }

    // What had to leave for it, to be closed at the server.
    std::optional<Prepared> add(const std::string& key, Prepared one) {
        std::optional<Prepared> left;
        if (order_.size() >= most_) {
            left = std::move(order_.back().second);
            places_.erase(order_.back().first);
            order_.pop_back();
        }
        order_.emplace_front(key, std::move(one));
        places_.emplace(order_.front().first, order_.begin());
        return left;
    }

    std::optional<Prepared> remove(const std::string& key) {
        const auto found = places_.find(key);
        if (found == places_.end()) return std::nullopt;
        std::optional<Prepared> left{std::move(found->second->second)};
        const auto place = found->second;
        places_.erase(found);
        order_.erase(place);
        return left;
    }

    std::size_t size() const noexcept { return order_.size(); }

private:
    using entries = std::list<std::pair<std::string, Prepared>>;

    std::size_t most_;
    entries order_;                                                            // the last used first
    std::unordered_map<std::string_view, typename entries::iterator> places_;  // keys are those of order_
};

}  // namespace errand::sql
