# What nearly every source includes is read once, ahead of all (ERRAND_PRECOMPILED; each preset has it on, a project that adds errand has
# it off). With GCC, and for scripts/check-batches, it is off: there a source must include what it needs.
option(ERRAND_PRECOMPILED "Headers that most sources include are compiled once (Clang)" OFF)
if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    set(ERRAND_PRECOMPILED OFF)
endif()

# What sources of errand's own include most, and what takes longest to read.
set(ERRAND_INSIDE_HEADERS
    <algorithm> <array> <atomic> <charconv> <chrono> <deque> <functional> <map> <memory> <mutex> <optional> <set> <span> <string>
    <string_view> <utility> <vector>
    <errand/errand.hpp>
    <boost/asio/as_tuple.hpp> <boost/asio/awaitable.hpp> <boost/asio/co_spawn.hpp> <boost/asio/detached.hpp>
    <boost/asio/io_context.hpp> <boost/asio/steady_timer.hpp> <boost/asio/strand.hpp> <boost/asio/this_coro.hpp>
    <boost/asio/use_awaitable.hpp>
    <boost/json.hpp>)

# errand_precompiled(target HEADERS... | REUSE_FROM other): the other one is compiled by the same options.
function(errand_precompiled target)
    if(NOT ERRAND_PRECOMPILED)
        return()
    endif()
    cmake_parse_arguments(PARSE_ARGV 1 its "" "REUSE_FROM" "HEADERS")
    if(its_REUSE_FROM)
        target_precompile_headers(${target} REUSE_FROM ${its_REUSE_FROM})
    else()
        target_precompile_headers(${target} PRIVATE ${its_HEADERS})
    endif()
    # A header that a cache of the compiler or a new checkout brings is older or newer than it was; what is in it counts.
    target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
endfunction()
