#include <errand/detail/beans.hpp>
#include <errand/error.hpp>

#include <boost/core/demangle.hpp>

#include <algorithm>
#include <ranges>
#include <string_view>

namespace errand::detail {
namespace {

// The T of bean_key<T>.
std::string name_of(std::type_index key) {
    const std::string whole = boost::core::demangle(key.name());
    const std::string_view name = whole;
    const std::size_t open = name.find('<');
    const std::size_t close = name.rfind('>');
    std::string_view inner = name.substr(open + 1, close - open - 1);
    while (inner.ends_with(' ')) inner.remove_suffix(1);
    return std::string{inner};
}

std::string sentence(const wanted_bean& wanted) {
    return name_of(wanted.owner) + " needs " + name_of(wanted.bean) + "&";
}

}  // namespace

bean_container::~bean_container() {
    for (const owned_bean& bean : std::views::reverse(owned_)) bean.destroy(bean.object);
}

void* bean_container::find(std::type_index key) const noexcept {
    const auto found = beans_.find(key);
    return found == beans_.end() ? nullptr : found->second;
}

void* bean_container::find(const wanted_bean& wanted) const {
    void* const bean = find(wanted.bean);
    if (bean == nullptr) refuse_missing({sentence(wanted)});
    return bean;
}

void bean_container::refuse_second(std::type_index key) const {
    if (beans_.contains(key))
        throw usage_error{"provide: there is a bean of type " + name_of(key) + " already"};
}

void bean_container::add(std::type_index key, void* object, void (*destroy)(void*)) {
    if (destroy != nullptr) owned_.reserve(owned_.size() + 1);
    beans_.emplace(key, object);
    if (destroy != nullptr) owned_.push_back({object, destroy});
}

std::vector<std::string> missing_among(const wanted_bean* wanted, const bean_container& beans) {
    std::vector<const wanted_bean*> missing;
    for (; wanted != nullptr; wanted = wanted->next) {
        if (beans.find(wanted->bean) == nullptr) missing.push_back(wanted);
    }
    std::ranges::sort(missing, {}, &wanted_bean::index);
    std::vector<std::string> sentences;
    for (const wanted_bean* each : missing) sentences.push_back(sentence(*each));
    return sentences;
}

void refuse_missing(const std::vector<std::string>& missing) {
    if (missing.empty()) return;
    std::string all;
    for (const std::string& each : missing) all += (all.empty() ? "" : ", ") + each;
    throw usage_error{
        all +
        ": provide it before the start (app.provide<T>(...) or app.provide_ref(object); of what derives from T "
        "app.provide_as<T, Derived>(...) or app.provide_ref<T>(object))"};
}

}  // namespace errand::detail
