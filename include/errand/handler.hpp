#pragma once

#include <errand/detail/handler_registration.hpp>
#include <errand/policy.hpp>

/// Declares and defines a handler: `ERRAND_HANDLER(shop::send_receipt, .queue = "mail", .timeout = 600s)`. Stands at
/// global namespace scope, in a header or a source file; registers the handler before `main`. The arguments after the
/// type are designated initialisers of errand::policy.
#define ERRAND_HANDLER(Type, ...)             \
    ERRAND_DECLARE_HANDLER(Type, __VA_ARGS__) \
    ERRAND_DEFINE_HANDLER(Type)

/// The half that submits: beside the class, in its header. Needs no definition of `perform` at link time.
#define ERRAND_DECLARE_HANDLER(Type, ...)                                           \
    inline ::errand::policy errand_policy_of(::errand::detail::handler_tag<Type>) { \
        return ::errand::policy{__VA_ARGS__};                                       \
    }                                                                               \
    template <>                                                                     \
    inline const ::errand::detail::declaration<Type> errand::detail::declared<Type>{::errand_policy_of};

/// The half that runs: in the worker's source, after the declaration.
#define ERRAND_DEFINE_HANDLER(Type) \
    template <>                     \
    inline const ::errand::detail::definition<Type> errand::detail::defined<Type>{};
