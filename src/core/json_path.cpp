#include <errand/detail/json_path.hpp>
#include <errand/error.hpp>

#include "core/json_quote.hpp"

#include <boost/system/system_error.hpp>

#include <algorithm>
#include <exception>
#include <new>
#include <vector>

namespace errand::detail {
namespace {

bool is_identifier(std::string_view name) noexcept {
    const auto letter = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    return !name.empty() && std::all_of(name.begin(), name.end(), letter);
}

}  // namespace

std::string json_path::text() const {
    std::vector<const json_path*> steps;
    for (const json_path* step = this; step != nullptr; step = step->up_) steps.push_back(step);
    std::string all{steps.back()->name_};
    steps.pop_back();
    for (; !steps.empty(); steps.pop_back()) {
        const json_path& step = *steps.back();
        if (step.index_ != no_index) {
            all += '[' + std::to_string(step.index_) + ']';
        } else if (is_identifier(step.name_)) {
            all += '.';
            all += step.name_;
        } else {
            all += '[' + quoted_extract(step.name_) + ']';
        }
    }
    return all;
}

void refuse(const json_path& at, const std::string& what) { throw bad_data{at.text() + ": " + what}; }

void refuse_current_exception(const json_path& at) {
    try {
        throw;
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const boost::system::system_error& failed) {
        // what() of Boost's JSON errors ends with a source location, which is noise in a task's error.
        refuse(at, failed.code().message());
    } catch (const std::exception& failed) {
        refuse(at, failed.what());
    }
}

}  // namespace errand::detail
