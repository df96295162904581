#include <errand/awaitable.hpp>
#include <errand/detail/beans.hpp>
#include <errand/error.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <thread>

using namespace errand::detail;
using Catch::Matchers::ContainsSubstring;

namespace injected {

struct mailer {
    explicit mailer(std::string to) : url{std::move(to)} {}
    mailer(const mailer&) = delete;
    std::string url;
};
struct clock_bean {
    int now = 0;
};
struct other_handler {};

}  // namespace injected

// The proxy of this test: what a proxy of errand does with an app does not matter here.
template <>
class errand::proxy<injected::other_handler> {
public:
    explicit proxy(errand::app& owner) : app{&owner} {}
    errand::app* app;
};

namespace injected {

struct deliver {
    deliver(mailer& m, const clock_bean& c, errand::proxy<other_handler> p, errand::app& a)
        : post{m}, clock{c}, next{p}, owner{a} {}
    deliver(const deliver&) = delete;
    mailer& post;
    const clock_bean& clock;
    errand::proxy<other_handler> next;
    errand::app& owner;
};
struct takes_proxy_by_reference {
    explicit takes_proxy_by_reference(const errand::proxy<other_handler>& p) : app{p.app} {}
    errand::app* app;
};
struct simple {};
struct counts_itself {
    explicit counts_itself(mailer&) { ++built; }
    static inline int built = 0;
};
struct never_declared_whole;
struct wants_much {
    wants_much(never_declared_whole&, mailer&, const clock_bean&) {}
};
struct wants_twelve {
    using m = mailer&;
    wants_twelve(m, m, m, m, m, m, m, m, m, m, m, m last) : twelfth{last} {}
    mailer& twelfth;
};
struct two_constructors {
    explicit two_constructors(mailer&) : taken{1} {}
    two_constructors(mailer&, clock_bean&) : taken{2} {}
    int taken;
};
struct service {
    explicit service(mailer& m) : post{m} {}
    mailer& post;
};
struct defaulted {
    defaulted() = default;
    explicit defaulted(const std::string& from) : text{from} {}
    std::string text = "default";
};
struct aggregate {
    mailer& post;
    const clock_bean& clock;
};
struct interface {
    virtual ~interface() = default;
    virtual int answer() const = 0;
};
struct implementation final : interface {
    int answer() const override { return 42; }
};
struct asks {
    explicit asks(const interface& i) : answer{i.answer()} {}
    int answer;
};

struct traced {
    traced(std::vector<int>& to, int which) : log{to}, number{which} {}
    ~traced() { log.push_back(number); }
    std::vector<int>& log;
    int number;
};
struct first : traced {
    explicit first(std::vector<int>& to) : traced{to, 1} {}
};
struct second : traced {
    explicit second(std::vector<int>& to) : traced{to, 2} {}
};

}  // namespace injected

using namespace injected;

namespace {

// A container needs an app only to hand it on, so any address will do.
errand::app& some_app() {
    static int place = 0;
    return reinterpret_cast<errand::app&>(place);
}

}  // namespace

TEST_CASE("a bean is built once and found by its type") {
    bean_container beans{some_app()};
    mailer& post = beans.provide<mailer>("smtp://localhost");
    CHECK(post.url == "smtp://localhost");
    CHECK(beans.find<mailer>() == &post);
    CHECK(beans.find<clock_bean>() == nullptr);
    clock_bean lent{5};
    CHECK(&beans.provide_ref(lent) == &lent);
    CHECK(beans.find<clock_bean>() == &lent);
}

TEST_CASE("a second bean of a type is refused by name") {
    bean_container beans{some_app()};
    beans.provide<mailer>("a");
    CHECK_THROWS_WITH(beans.provide<mailer>("b"),
                      "provide: there is a bean of type injected::mailer already");
    mailer lent{"c"};
    CHECK_THROWS_AS(beans.provide_ref(lent), errand::usage_error);
    CHECK(beans.find<mailer>()->url == "a");
}

TEST_CASE("a handler is built with references to beans, proxies and the app, and need not be movable") {
    bean_container beans{some_app()};
    mailer& post = beans.provide<mailer>("a");
    clock_bean& clock = beans.provide<clock_bean>();
    const deliver handler = build<deliver>(beans);
    CHECK(&handler.post == &post);
    CHECK(&handler.clock == &clock);
    CHECK(handler.next.app == &some_app());
    CHECK(&handler.owner == &some_app());
    CHECK(build<takes_proxy_by_reference>(beans).app == &some_app());
    static_cast<void>(build<simple>(beans));
}

TEST_CASE("what nobody provided is known, all of it, without building anything") {
    bean_container beans{some_app()};
    counts_itself::built = 0;
    CHECK(missing_beans<counts_itself>(beans) ==
          std::vector<std::string>{"injected::counts_itself needs injected::mailer&"});
    CHECK(missing_beans<wants_much>(beans) ==
          std::vector<std::string>{"injected::wants_much needs injected::never_declared_whole&",
                                   "injected::wants_much needs injected::mailer&",
                                   "injected::wants_much needs injected::clock_bean&"});
    CHECK(missing_beans<simple>(beans).empty());
    CHECK(missing_beans<takes_proxy_by_reference>(beans).empty());
    beans.provide<mailer>("a");
    CHECK(missing_beans<counts_itself>(beans).empty());
    CHECK(missing_beans<wants_much>(beans).size() == 2);
    CHECK(counts_itself::built == 0);
}

TEST_CASE("building without a bean is a usage_error that names owner and type") {
    bean_container beans{some_app()};
    CHECK_THROWS_AS(build<counts_itself>(beans), errand::usage_error);
    CHECK_THROWS_WITH(build<counts_itself>(beans),
                      "injected::counts_itself needs injected::mailer&: provide it before the start "
                      "(app.provide<T>(...) or app.provide_ref(object); of what derives from T "
                      "app.provide_as<T, Derived>(...) or app.provide_ref<T>(object))");
    CHECK_NOTHROW(refuse_missing({}));
    CHECK_THROWS_WITH(refuse_missing({"a needs b&", "c needs d&"}),
                      ContainsSubstring("a needs b&, c needs d&"));
}

TEST_CASE("the constructor with the most parameters is taken, up to twelve") {
    bean_container beans{some_app()};
    mailer& post = beans.provide<mailer>("a");
    beans.provide<clock_bean>();
    CHECK(&build<wants_twelve>(beans).twelfth == &post);
    CHECK(build<two_constructors>(beans).taken == 2);
    CHECK(&build<aggregate>(beans).post == &post);
}

TEST_CASE("provide without arguments builds by default constructor, else from beans") {
    bean_container beans{some_app()};
    CHECK(beans.provide<defaulted>().text == "default");
    CHECK_THROWS_WITH(beans.provide<service>(),
                      ContainsSubstring("injected::service needs injected::mailer&"));
    CHECK(beans.find<service>() == nullptr);
    mailer& post = beans.provide<mailer>("a");
    CHECK(&beans.provide<service>().post == &post);
}

TEST_CASE("a bean may be lent as its interface") {
    bean_container beans{some_app()};
    implementation object;
    beans.provide_ref<interface>(object);
    CHECK(build<asks>(beans).answer == 42);
    CHECK(beans.find<implementation>() == nullptr);
}

TEST_CASE("a bean may be built as its interface, and is found by both types") {
    bean_container beans{some_app()};
    auto& made = beans.provide_as<interface, implementation>();
    CHECK(build<asks>(beans).answer == 42);
    CHECK(beans.find<implementation>() == &made);
    CHECK_THROWS_AS((beans.provide_as<interface, implementation>()), errand::usage_error);
    bean_container lent{some_app()};
    implementation object;
    lent.provide_ref<interface>(object);
    CHECK_THROWS_WITH((lent.provide_as<interface, implementation>()), ContainsSubstring("interface"));
    CHECK(lent.find<implementation>() == nullptr);
}

TEST_CASE("beans are destroyed youngest first, lent ones not at all") {
    std::vector<int> log;
    {
        traced lent{log, 3};
        bean_container beans{some_app()};
        beans.provide<first>(log);
        beans.provide_ref(lent);
        beans.provide<second>(log);
    }
    CHECK(log == std::vector{2, 1, 3});
}

TEST_CASE("handlers are built on several threads at once", "[concurrent]") {
    bean_container beans{some_app()};
    mailer& post = beans.provide<mailer>("a");
    beans.provide<clock_bean>();
    const auto work = [&] {
        for (int i = 0; i < 1000; ++i) {
            if (&build<deliver>(beans).post != &post) std::abort();
        }
    };
    std::thread other{work};
    work();
    other.join();
}
