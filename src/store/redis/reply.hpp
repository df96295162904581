// What Redis answered to one command, kept as it came: nodes in reading order over one buffer.
//
// Nothing here ever fails a connection: an unexpected reply is found by the reader, and is a store_error.
#pragma once

#include <boost/redis/adapter/any_adapter.hpp>
#include <boost/redis/resp3/type.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace errand::redis {

class reply {
public:
    void clear() {
        text_.clear();
        nodes_.clear();
    }
    // Records into this object, which must outlive the call.
    boost::redis::any_adapter recorder();

    bool is_error() const;
    // The first node's text: the error, or a simple answer.
    std::string_view first() const;
    bool last_is_error() const;
    // Takes the last node off, which answered a command of its own: its number, or 0.
    std::int64_t take_last();

private:
    friend class reply_reader;
    struct node {
        boost::redis::resp3::type type;
        std::size_t elements;
        std::size_t from;
        std::size_t size;
    };
    std::string text_;
    std::vector<node> nodes_;
};

// Reads a reply from its first element to its last. Throws store_error when something else is there.
class reply_reader {
public:
    explicit reply_reader(const reply& from) : from_{&from} {}

    std::size_t array();  // its elements follow
    std::string_view text();
    std::int64_t number();
    bool done() const { return at_ == from_->nodes_.size(); }

private:
    const reply::node& next();

    const reply* from_;
    std::size_t at_ = 0;
};

}  // namespace errand::redis
