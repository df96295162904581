# What only a build of errand itself decides; a project that adds errand decides it for itself.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()

find_program(ERRAND_CCACHE ccache)
if(ERRAND_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    # What is compiled with precompiled headers is kept only by who says that no macro stands before them that they would see.
    set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env CCACHE_SLOPPINESS=pch_defines,time_macros "${ERRAND_CCACHE}")
endif()

if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    find_program(ERRAND_LLD NAMES ld.lld-19 ld.lld)
    if(ERRAND_LLD)
        add_link_options("--ld-path=${ERRAND_LLD}")
    endif()
endif()

if(ERRAND_SANITIZE)
    add_compile_options(-fsanitize=${ERRAND_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    add_link_options(-fsanitize=${ERRAND_SANITIZE})
endif()
