# Finds what errand is built on. Boost is used by its headers alone: errand::boost_headers.
set(ERRAND_BOOST_MINIMUM 1.91)
set(ERRAND_DEPS_DIR "${PROJECT_SOURCE_DIR}/.deps" CACHE PATH "Where scripts/setup unpacked what the distribution is too old for")

find_package(Threads REQUIRED)
find_package(OpenSSL 3 REQUIRED)
find_package(spdlog REQUIRED)

add_library(errand_boost_headers INTERFACE)
add_library(errand::boost_headers ALIAS errand_boost_headers)
set_target_properties(errand_boost_headers PROPERTIES EXPORT_NAME boost_headers)

find_package(Boost ${ERRAND_BOOST_MINIMUM} CONFIG QUIET)
if(Boost_FOUND)
    set(ERRAND_BOOST_VERSION ${Boost_VERSION})
    target_link_libraries(errand_boost_headers INTERFACE Boost::headers)
else()
    find_path(ERRAND_BOOST_INCLUDE_DIR boost/version.hpp
        HINTS "${ERRAND_DEPS_DIR}/boost/include" DOC "Directory that holds boost/version.hpp")
    set(ERRAND_BOOST_VERSION "none")
    if(ERRAND_BOOST_INCLUDE_DIR)
        file(STRINGS "${ERRAND_BOOST_INCLUDE_DIR}/boost/version.hpp" line REGEX "^#define BOOST_LIB_VERSION")
        string(REGEX REPLACE ".*\"([0-9_]+)\".*" "\\1" line "${line}")
        string(REPLACE "_" "." ERRAND_BOOST_VERSION "${line}")
    endif()
    if(ERRAND_BOOST_VERSION STREQUAL "none" OR ERRAND_BOOST_VERSION VERSION_LESS ERRAND_BOOST_MINIMUM)
        unset(ERRAND_BOOST_INCLUDE_DIR CACHE)
        message(FATAL_ERROR "errand needs the headers of Boost >= ${ERRAND_BOOST_MINIMUM} (found: ${ERRAND_BOOST_VERSION}); "
            "run scripts/setup, which fetches them, or set ERRAND_BOOST_INCLUDE_DIR.")
    endif()
    target_include_directories(errand_boost_headers SYSTEM INTERFACE
        "$<BUILD_INTERFACE:${ERRAND_BOOST_INCLUDE_DIR}>" "$<INSTALL_INTERFACE:include/errand-deps>")
endif()
