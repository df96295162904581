# errand's own code compiles without a warning at these levels; ERRAND_WERROR (on in the test presets) keeps it so.
option(ERRAND_WERROR "Treat warnings in errand's own code as errors" OFF)

function(errand_warnings target)
    target_compile_options(${target} PRIVATE
        -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor -Woverloaded-virtual
        -Wold-style-cast -Wcast-align -Wunused -Wnull-dereference -Wimplicit-fallthrough -Wformat=2
        $<$<BOOL:${ERRAND_WERROR}>:-Werror>)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        # Both fire on correct code of the standard library and Asio once it is inlined into ours.
        target_compile_options(${target} PRIVATE -Wno-null-dereference -Wno-maybe-uninitialized)
    else()
        # Clang reports libstdc++ 12's own use of a deprecated function when std::stable_sort is used; GCC reports ours.
        target_compile_options(${target} PRIVATE -Wno-deprecated-declarations)
    endif()
endfunction()
