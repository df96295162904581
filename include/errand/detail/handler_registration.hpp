// How a handler becomes known before main: the macros of handler.hpp make these objects.
#pragma once

#include <errand/awaitable.hpp>
#include <errand/detail/beans.hpp>
#include <errand/detail/signature.hpp>
#include <errand/detail/wire.hpp>
#include <errand/limit.hpp>
#include <errand/policy.hpp>
#include <errand/task_info.hpp>

#include <boost/json/array.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>
#include <typeindex>
#include <vector>

namespace errand::detail {

template <class H>
struct handler_tag {};

// How far a call has come: bad_data means another thing in each part.
enum class call_stage : unsigned char { decoding, performing, encoding };

// A handler without its type.
struct erased_handler {
    // Decodes the arguments, builds the handler, runs it; gives the result as JSON text, empty for void. The stage is
    // kept up to date; all three must outlive the call.
    awaitable<std::string> (*run)(const bean_container& beans, const boost::json::array& args,
                                  call_stage& stage);
    // Throws bad_data when these are not what `perform` takes.
    void (*check_args)(const boost::json::array& args);
    // What is missing to build one, in words.
    std::vector<std::string> (*missing)(const bean_container& beans);
    // Builds one and drops it.
    void (*try_build)(const bean_container& beans);
    // By which such a task is limited; throws bad_data likewise. Null when the handler has no keys.
    limit_keys (*keys)(const boost::json::array& args);
    // By what the item is gathered of which these are the arguments; throws bad_data likewise. Null when `perform` does not
    // take a list of items.
    std::string (*item_key)(const boost::json::array& args);
    // Tells the handler of a task that is dead; both must outlive the call. Null when it has no such member.
    awaitable<void> (*on_dead)(const bean_container& beans, const task_info& task);
};

// What a handler's class says that its policy must agree with.
struct handler_facts {
    bool has_concurrency_key = false;
    bool has_rate_key = false;
    std::size_t arguments = 0;  // of perform
    bool takes_items = false;   // it takes one list, and returns nothing or a list
    bool result_each = false;   // that one
};

void declare_limit(std::string_view name, const limit_rule& rule);
void declare_handler(std::type_index type, std::string_view name, policy (*read_policy)(),
                     const handler_facts& facts);
[[noreturn]] void refuse_empty_awaitable();
void define_handler(std::type_index type, const erased_handler& code);

// The type's qualified name as the compiler prints it.
template <class T>
constexpr std::string_view qualified_name() {
    constexpr std::string_view text = __PRETTY_FUNCTION__;
    constexpr auto begin = text.find("T = ") + 4;
    constexpr auto end = text.find_first_of(";]", begin);
    return text.substr(begin, end - begin);
}

template <class H>
struct declaration {
    using read_fn = policy (*)(handler_tag<H>);

    // Keeps the function, not the policy: whatever the initialisers name may not exist yet before main.
    explicit declaration(read_fn read) {
        // Of one that is incomplete args_of says so.
        if constexpr (!is_complete<H>) {
            static_cast<void>(sizeof(args_of<H>));
        } else {
            declare(read);
        }
    }

    static void declare(read_fn read) {
        read_policy = read;
        declare_handler(typeid(H), qualified_name<H>(), +[] { return read_policy(handler_tag<H>{}); },
                        {.has_concurrency_key = has_concurrency_key<H>(),
                         .has_rate_key = has_rate_key<H>(),
                         .arguments = std::tuple_size_v<args_of<H>>,
                         .takes_items = list_of<H>::is_one,
                         .result_each = list_of<H>::is_one && !std::is_void_v<result_of<H>>});
        static_cast<void>(has_collect_key<H>());
    }

    static inline constinit read_fn read_policy = nullptr;
};

template <class H>
struct definition {
    definition() {
        erased_handler code{};
        // A faulty handler gets the one sentence of has_signature and no errors after it.
        if constexpr (has_signature<H>) {
            code.run = &perform<H>;
            code.check_args =
                +[](const boost::json::array& args) { static_cast<void>(decode_args<H>(args)); };
            if constexpr (has_limit_keys<H>()) code.keys = &keys_of<H>;
            if constexpr (list_of<H>::is_one) code.item_key = &key_of_item<H>;
        }
        if constexpr (is_complete<H>) {
            code.missing = &missing_beans<H>;
            code.try_build = +[](const bean_container& beans) { static_cast<void>(build<H>(beans)); };
            if constexpr (has_on_dead<H>()) code.on_dead = &tell_dead<H>;
            define_handler(typeid(H), code);
        }
    }

    template <class S>
    static limit_keys keys_of(const boost::json::array& args) {
        return std::apply([](const auto&... values) { return limit_keys_of<S>(values...); },
                          decode_args<S>(args));
    }

    template <class S>
    static awaitable<void> tell_dead([[maybe_unused]] const bean_container& beans, const task_info& task) {
        if constexpr (is_called_on_dead<S>) {
            S::on_dead(task);
            co_return;
        } else {
            S handler = build<S>(beans);
            auto work = handler.on_dead(task);
            if (!work.valid()) refuse_empty_awaitable();
            co_await std::move(work);
        }
    }

    template <class S>
    static awaitable<std::string> perform(const bean_container& beans, const boost::json::array& args,
                                          call_stage& stage) {
        auto values = decode_args<S>(args);
        stage = call_stage::performing;
        S handler = build<S>(beans);
        auto call = [&handler](auto&... value) {
            auto work = handler.perform(std::move(value)...);
            if (!work.valid()) refuse_empty_awaitable();
            return work;
        };
        if constexpr (std::is_void_v<result_of<S>>) {
            co_await std::apply(call, values);
            co_return std::string{};
        } else {
            auto result = co_await std::apply(call, values);
            stage = call_stage::encoding;
            co_return encode_result(result);
        }
    }
};

template <class H>
inline const char declared = 0;
template <class H>
inline const char defined = 0;

}  // namespace errand::detail
