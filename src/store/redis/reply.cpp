#include "store/redis/reply.hpp"

#include <errand/error.hpp>

#include <charconv>

namespace errand::redis {

namespace resp3 = boost::redis::resp3;

boost::redis::any_adapter reply::recorder() {
    using event = boost::redis::any_adapter::parse_event;
    return boost::redis::any_adapter{
        [this](event what, const resp3::node_view& node, boost::system::error_code&) {
            if (what != event::node) return;
            nodes_.push_back({node.data_type, node.aggregate_size, text_.size(), node.value.size()});
            text_.append(node.value);
        }};
}

namespace {

bool is_error_type(resp3::type one) {
    return one == resp3::type::simple_error || one == resp3::type::blob_error;
}

}  // namespace

bool reply::is_error() const { return !nodes_.empty() && is_error_type(nodes_.front().type); }

bool reply::last_is_error() const { return !nodes_.empty() && is_error_type(nodes_.back().type); }

std::string_view reply::first() const {
    if (nodes_.empty()) return {};
    return std::string_view{text_}.substr(nodes_.front().from, nodes_.front().size);
}

std::int64_t reply::take_last() {
    if (nodes_.empty()) return 0;
    const auto last = nodes_.back();
    nodes_.pop_back();
    std::int64_t value = 0;
    if (last.type == resp3::type::number)
        std::from_chars(text_.data() + last.from, text_.data() + last.from + last.size, value);
    return value;
}

const reply::node& reply_reader::next() {
    if (at_ == from_->nodes_.size()) throw store_error{"Redis answered with less than its script promises"};
    return from_->nodes_[at_++];
}

std::size_t reply_reader::array() {
    const auto& node = next();
    if (!resp3::is_aggregate(node.type))
        throw store_error{"Redis answered with a value where a list was due"};
    return node.elements;
}

std::string_view reply_reader::text() {
    const auto& node = next();
    if (resp3::is_aggregate(node.type)) throw store_error{"Redis answered with a list where a value was due"};
    return std::string_view{from_->text_}.substr(node.from, node.size);
}

std::int64_t reply_reader::number() {
    const auto digits = text();
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || end != digits.data() + digits.size()) {
        throw store_error{"Redis answered with \"" + std::string{digits} + "\" where a number was due"};
    }
    return value;
}

}  // namespace errand::redis
