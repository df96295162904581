# Which compiler is chosen when nobody chose one, and which are refused.

# Before project(): Debian 12's default g++ is one of those refused below, so the newer ones go first.
macro(errand_prefer_compiler)
    if(NOT CMAKE_CXX_COMPILER AND NOT CMAKE_TOOLCHAIN_FILE AND "$ENV{CXX}" STREQUAL "")
        find_program(ERRAND_CXX NAMES clang++-19 g++-14)
        if(ERRAND_CXX)
            set(CMAKE_CXX_COMPILER "${ERRAND_CXX}")
        endif()
    endif()
endmacro()

function(errand_check_compiler)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
        message(FATAL_ERROR
            "errand needs clang 19 or GCC >= 14: GCC ${CMAKE_CXX_COMPILER_VERSION} destroys aggregate temporaries in "
            "co_await expressions twice, so programs built with it crash. Choose the other one in a fresh build folder: "
            "-DCMAKE_CXX_COMPILER=clang++-19, or CXX=clang++-19 in the environment.")
    endif()
endfunction()
