# errand's own code compiles without a warning at these levels; ERRAND_WERROR (on in the test presets) keeps it so.
option(ERRAND_WERROR "Treat warnings in errand's own code as errors" OFF)

function(errand_warnings target)
    target_compile_options(${target} PRIVATE
        -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Woverloaded-virtual -Wold-style-cast -Wcast-align
        -Wunused -Wimplicit-fallthrough -Wformat=2 $<$<BOOL:${ERRAND_WERROR}>:-Werror>)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        # GCC's full -Wshadow fires on scoped enumerators, its -Wnon-virtual-dtor on protected destructors of classes
        # with friends; the other two fire on Asio's coroutine frames once they are inlined into ours. Clang checks what
        # is left out here.
        target_compile_options(${target} PRIVATE -Wshadow=local -Wno-mismatched-new-delete -Wno-maybe-uninitialized)
        # Where sources are compiled together, each is an included file, whose unnamed namespaces GCC takes for a header's.
        if(CMAKE_UNITY_BUILD)
            target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
        endif()
    else()
        # Clang reports libstdc++ 12's own use of a deprecated function when std::stable_sort is used; GCC reports ours.
        target_compile_options(${target} PRIVATE
            -Wshadow -Wnon-virtual-dtor -Wnull-dereference -Wno-deprecated-declarations)
    endif()
endfunction()
