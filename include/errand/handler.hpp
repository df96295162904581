#pragma once

#include <errand/detail/handler_registration.hpp>
#include <errand/policy.hpp>

#include <type_traits>

/// Named again by each of the macros below: elsewhere than here it is another class.
struct errand_at_global_scope;

/// Declares and defines a handler: `ERRAND_HANDLER(shop::send_receipt, .queue = "mail", .timeout = 600s)`. Stands at
/// global namespace scope, in a header or a source file; registers the handler before `main`. The arguments after the
/// type are designated initialisers of errand::policy.
#define ERRAND_HANDLER(Type, ...)            \
    ERRAND_DETAIL_AT_GLOBAL_SCOPE            \
    ERRAND_DETAIL_DECLARE(Type, __VA_ARGS__) \
    ERRAND_DETAIL_DEFINE(Type)

/// The half that submits: beside the class, in its header. Needs no definition of `perform` at link time.
#define ERRAND_DECLARE_HANDLER(Type, ...) \
    ERRAND_DETAIL_AT_GLOBAL_SCOPE         \
    ERRAND_DETAIL_DECLARE(Type, __VA_ARGS__)

/// The half that runs: in the worker's source, after the declaration.
#define ERRAND_DEFINE_HANDLER(Type) \
    ERRAND_DETAIL_AT_GLOBAL_SCOPE   \
    ERRAND_DETAIL_DEFINE(Type)

#define ERRAND_DETAIL_DECLARE(Type, ...)                                            \
    inline ::errand::policy errand_policy_of(::errand::detail::handler_tag<Type>) { \
        return ::errand::policy{__VA_ARGS__};                                       \
    }                                                                               \
    template <>                                                                     \
    inline const ::errand::detail::declaration<Type> errand::detail::declared<Type>{::errand_policy_of};

#define ERRAND_DETAIL_DEFINE(Type) \
    template <>                    \
    inline const ::errand::detail::definition<Type> errand::detail::defined<Type>{};

#define ERRAND_DETAIL_AT_GLOBAL_SCOPE                                                              \
    struct errand_at_global_scope;                                                                 \
    static_assert(::std::is_same_v<errand_at_global_scope, ::errand_at_global_scope>,              \
                  "errand: ERRAND_HANDLER and its halves stand at global namespace scope: behind " \
                  "the end of the namespace or class, with the handler's qualified name");
