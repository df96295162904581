#include <errand/detail/signature.hpp>

#include <catch2/catch_test_macros.hpp>

#include <memory>
#include <string_view>
#include <vector>

// Defined by a handler's program; here only to be named.
namespace errand {
struct task_info {};
}  // namespace errand

using namespace errand::detail;

namespace signatures {

struct plain {
    errand::awaitable<int> perform(int, const std::string&, std::vector<int>&&, const double);
};
struct constant {
    errand::awaitable<void> perform() const;
};
struct never_throws {
    errand::awaitable<std::string> perform(std::unique_ptr<int>) noexcept;
};
struct never_throws_constant {
    errand::awaitable<std::string> perform(bool) const noexcept;
};
struct stateless {
    static errand::awaitable<bool> perform(char);
};
struct final_one final {
    errand::awaitable<void> perform(int);
    static std::string biz_id(int);
};
struct inherited : plain {};

struct named {
    errand::awaitable<void> perform(std::string, int);
    static std::string biz_id(const std::string&, int);
    static std::string concurrency_key(std::string_view, const int&);
    static const char* rate_key(const std::string&, long);
    static void on_dead(const errand::task_info&);
};
struct mourns_by_object {
    errand::awaitable<void> perform(int);
    errand::awaitable<void> on_dead(const errand::task_info&);
};
struct loosely_named {
    errand::awaitable<void> perform(int);
    static const char* biz_id(long);
};
struct generically_named {
    errand::awaitable<void> perform(int);
    static std::string biz_id(const auto& any) { return std::to_string(any); }
};

// As errand::proxy: all that it says of H it says in templates.
template <class H>
struct lazy_proxy {
    template <class S = H>
    result_of<S> call() const {
        return result_of<S>(std::tuple_size_v<args_of<S>>);
    }
};
struct holds_its_own_proxy {
    lazy_proxy<holds_its_own_proxy> self;
    errand::awaitable<unsigned long> perform(int, int) { co_return self.call(); }
};

}  // namespace signatures

using namespace signatures;

template <class H, class Args, class Result>
constexpr bool reads_as = std::is_same_v<args_of<H>, Args> && std::is_same_v<result_of<H>, Result>;

TEST_CASE("the signature of perform is read in all its spellings") {
    STATIC_CHECK(reads_as<plain, std::tuple<int, std::string, std::vector<int>, double>, int>);
    STATIC_CHECK(reads_as<constant, std::tuple<>, void>);
    STATIC_CHECK(reads_as<never_throws, std::tuple<std::unique_ptr<int>>, std::string>);
    STATIC_CHECK(reads_as<never_throws_constant, std::tuple<bool>, std::string>);
    STATIC_CHECK(reads_as<stateless, std::tuple<char>, bool>);
    STATIC_CHECK(reads_as<final_one, std::tuple<int>, void>);
    STATIC_CHECK(reads_as<inherited, std::tuple<int, std::string, std::vector<int>, double>, int>);
}

TEST_CASE("optional statics are seen when they are there") {
    STATIC_CHECK(has_biz_id<named>());
    STATIC_CHECK(has_concurrency_key<named>());
    STATIC_CHECK(has_rate_key<named>());
    STATIC_CHECK(has_on_dead<named>());
    STATIC_CHECK(has_on_dead<mourns_by_object>());
    STATIC_CHECK(is_called_on_dead<named>);
    STATIC_CHECK_FALSE(is_called_on_dead<mourns_by_object>);
    STATIC_CHECK_FALSE(has_biz_id<plain>());
    STATIC_CHECK_FALSE(has_concurrency_key<plain>());
    STATIC_CHECK_FALSE(has_rate_key<plain>());
    STATIC_CHECK_FALSE(has_on_dead<plain>());
    STATIC_CHECK(has_biz_id<final_one>());
    STATIC_CHECK_FALSE(has_on_dead<final_one>());
}

TEST_CASE("a biz_id may take its arguments as it likes and return what converts to a string") {
    STATIC_CHECK(has_biz_id<loosely_named>());
    STATIC_CHECK(has_biz_id<generically_named>());
}

namespace {

struct of_lists {
    errand::awaitable<std::vector<double>> perform(std::vector<std::string>);
    static std::string biz_id(const std::string&);
    static std::string collect_key(const std::string&);
};
struct of_lists_alone {
    errand::awaitable<void> perform(const std::vector<int>&);
    static std::string biz_id(const std::vector<int>&);
};
struct sums {
    errand::awaitable<int> perform(std::vector<int>);
};

}  // namespace

TEST_CASE("who takes one list is given items of it, each with a result of its own") {
    STATIC_CHECK(gives_item<of_lists, const char*>());
    STATIC_CHECK_FALSE(gives_item<of_lists, std::vector<std::string>>());
    STATIC_CHECK_FALSE(gives_item<of_lists, int*>());
    STATIC_CHECK(std::is_same_v<task_result_of<of_lists, const char*>, double>);
    STATIC_CHECK(std::is_same_v<task_result_of<of_lists, std::vector<std::string>>, std::vector<double>>);
    STATIC_CHECK(std::is_void_v<task_result_of<of_lists_alone, int>>);
    STATIC_CHECK(has_item_biz_id<of_lists>());
    STATIC_CHECK_FALSE(has_biz_id<of_lists>());
    STATIC_CHECK(has_collect_key<of_lists>());
    STATIC_CHECK(has_biz_id<of_lists_alone>());
    STATIC_CHECK_FALSE(has_collect_key<of_lists_alone>());
}

TEST_CASE("what has one result for its list cannot be given an item") {
    STATIC_CHECK_FALSE(gives_item<sums, int>());
    STATIC_CHECK_FALSE(gives_item<plain, int>());
}

TEST_CASE("a handler may hold a proxy of its own type") {
    STATIC_CHECK(reads_as<holds_its_own_proxy, std::tuple<int, int>, unsigned long>);
    CHECK(holds_its_own_proxy{}.self.call() == 2);
}
