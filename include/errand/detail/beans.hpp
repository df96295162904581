// Beans: objects that are built once and injected by reference, found by their type alone.
//
// A constructor cannot be asked for its parameters, but it can be called with objects that convert to
// whatever it wants. Those injectors do two things: at run time they look the bean up, and by being
// instantiated at all they enter its type in a list that exists before main. So everything a class needs is
// known without building it.
#pragma once

#include <errand/detail/supported.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>
#include <typeindex>
#include <typeinfo>
#include <unordered_map>
#include <utility>
#include <vector>

namespace errand {

class app;
template <class H>
class proxy;

namespace detail {

/// Stands for T where type_info is needed: T itself may be incomplete there.
template <class T>
struct bean_key {};

/// One bean that a constructor wants. Objects of it live for ever and form the list of their class.
struct wanted_bean {
    wanted_bean(const wanted_bean*& list, std::size_t place, std::type_index wanted,
                std::type_index wants) noexcept
        : index{place}, bean{wanted}, owner{wants}, next{std::exchange(list, this)} {}

    std::size_t index;      // of the constructor's parameter
    std::type_index bean;   // a bean_key
    std::type_index owner;  // a bean_key: whose constructor it is
    const wanted_bean* next;
};

/// The beans of an app. They are provided before anything runs; after that any thread may look them up.
class bean_container {
public:
    /// @param owner what parameters of type app& and proxies get; must outlive the container
    explicit bean_container(app& owner) noexcept : owner_{owner} {}
    /// Destroys the beans, the youngest first.
    ~bean_container();
    bean_container(const bean_container&) = delete;
    bean_container& operator=(const bean_container&) = delete;

    /// Builds a bean from the arguments. Without any: by its default constructor, and when it has none, from
    /// beans.
    /// @throws usage_error when there is one of this type already, or naming each bean that its constructor
    /// misses
    template <class T, class... A>
    T& provide(A&&... args);

    /// Builds a T as provide() does, and lends it as As, which it derives from.
    /// @throws as provide(); usage_error when there is a bean of type As already
    template <class As, class T, class... A>
    T& provide_as(A&&... args);

    /// Lends an object, which must outlive the container.
    /// @throws usage_error when there is a bean of this type already
    template <class T>
    T& provide_ref(T& object);

    /// The bean of exactly this type, null when there is none. One hash look-up.
    template <class T>
    [[nodiscard]] T* find() const noexcept {
        return static_cast<T*>(find(typeid(bean_key<T>)));
    }

    [[nodiscard]] void* find(std::type_index key) const noexcept;
    /// @throws usage_error naming bean and owner when there is none
    [[nodiscard]] void* find(const wanted_bean& wanted) const;
    [[nodiscard]] app& owner() const noexcept { return owner_; }

private:
    struct owned_bean {
        void* object;
        void (*destroy)(void*);
    };

    void refuse_second(std::type_index key) const;
    void add(std::type_index key, void* object, void (*destroy)(void*));

    app& owner_;
    std::unordered_map<std::type_index, void*> beans_;
    std::vector<owned_bean> owned_;  // in the order of creation
};

template <class T>
inline constexpr bool is_proxy = false;
template <class H>
inline constexpr bool is_proxy<proxy<H>> = true;

/// The beans that the constructor of T wants, filled before main. Constant initialisation comes earlier.
template <class T>
inline constinit const wanted_bean* wanted_by = nullptr;

template <class T, std::size_t Index, class Bean>
struct wants {
    static inline const wanted_bean entry{wanted_by<T>, Index, typeid(bean_key<Bean>), typeid(bean_key<T>)};
};

/// Becomes the argument for parameter Index of T's constructor. T itself is no bean: that would be the copy
/// constructor.
template <class T, std::size_t Index>
struct injector {
    const bean_container& beans;

    template <class Bean>
        requires(std::is_class_v<Bean> && !std::is_same_v<std::remove_cv_t<Bean>, T> &&
                 !is_proxy<std::remove_cv_t<Bean>>)
    operator Bean&() const {
        if constexpr (std::is_same_v<std::remove_cv_t<Bean>, app>) {
            return beans.owner();
        } else {
            using object = std::remove_cv_t<Bean>;
            return *static_cast<object*>(beans.find(wants<T, Index, object>::entry));
        }
    }

    template <class Proxy>
        requires(is_proxy<Proxy>)
    operator Proxy() const {
        return Proxy{beans.owner()};
    }
};

template <class T, std::size_t... I>
consteval bool is_injectable(std::index_sequence<I...>) {
    return requires(const bean_container& beans) { T(injector<T, I>{beans}...); };
}

inline constexpr std::size_t most_injected = 12;
inline constexpr std::size_t not_injectable = most_injected + 1;

/// How many beans the largest fitting constructor of T takes; not_injectable when none fits.
template <class T, std::size_t N = most_injected>
consteval std::size_t injected_count() {
    if constexpr (is_injectable<T>(std::make_index_sequence<N>{})) {
        return N;
    } else if constexpr (N == 0) {
        return not_injectable;
    } else {
        return injected_count<T, N - 1>();
    }
}

template <class T, std::size_t... I>
T build_from(const bean_container& beans, std::index_sequence<I...>) {
    return T(injector<T, I>{beans}...);
}

/// A new T, its constructor's parameters taken from the beans. T need not be movable.
/// @throws usage_error naming the first bean that is missing; what the constructor throws
/// Thread safety: any, once all beans are provided. Cost: a hash look-up a parameter.
template <class T>
[[nodiscard]] T build(const bean_container& beans) {
    constexpr std::size_t count = injected_count<T>();
    if constexpr (count == not_injectable) {
        static_assert(
            supported<T>,
            "errand: this class cannot be built from beans: it needs a public constructor of at most 12 "
            "parameters, each T& or const T& of class type, errand::proxy<H> or errand::app&");
    } else {
        return build_from<T>(beans, std::make_index_sequence<count>{});
    }
}

[[nodiscard]] std::vector<std::string> missing_among(const wanted_bean* wanted, const bean_container& beans);
/// Throws usage_error that lists what missing_beans found for one or more classes; returns when there is
/// nothing.
void refuse_missing(const std::vector<std::string>& missing);

/// What T's constructor wants and nobody provided, in the order of its parameters: `send_receipt needs
/// mailer&`. Builds nothing.
template <class T>
[[nodiscard]] std::vector<std::string> missing_beans(const bean_container& beans) {
    // Naming build<T> is what makes the injectors, and with them the list.
    static_cast<void>(&build<T>);
    return missing_among(wanted_by<T>, beans);
}

template <class T, class... A>
T& bean_container::provide(A&&... args) {
    static_assert(std::is_same_v<T, std::remove_cvref_t<T>>,
                  "errand: provide a plain type, not const and no reference");
    refuse_second(typeid(bean_key<T>));
    std::unique_ptr<T> bean;
    if constexpr (std::is_constructible_v<T, A...>) {
        bean.reset(new T(std::forward<A>(args)...));
    } else if constexpr (sizeof...(A) == 0) {
        refuse_missing(missing_beans<T>(*this));
        bean.reset(new T(build<T>(*this)));
    } else {
        static_assert(supported<T, A...>,
                      "errand: this bean has no constructor that takes the arguments of provide");
    }
    add(typeid(bean_key<T>), bean.get(), [](void* object) { delete static_cast<T*>(object); });
    return *bean.release();
}

template <class As, class T, class... A>
T& bean_container::provide_as(A&&... args) {
    constexpr bool derives = std::is_convertible_v<T*, As*> && !std::is_same_v<T, As>;
    static_assert(derives,
                  "errand: provide_as<As, T>(...) builds a T, which must derive from As, publicly and once");
    refuse_second(typeid(bean_key<As>));
    T& one = provide<T>(std::forward<A>(args)...);
    if constexpr (derives) provide_ref<As>(one);
    return one;
}

template <class T>
T& bean_container::provide_ref(T& object) {
    if constexpr (std::is_const_v<T>) {
        static_assert(supported<T>,
                      "errand: lend a bean that is not const: handlers may take it by T& or by const T&");
    } else {
        refuse_second(typeid(bean_key<T>));
        add(typeid(bean_key<T>), &object, nullptr);
    }
    return object;
}

}  // namespace detail
}  // namespace errand
