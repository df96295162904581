# Finds what errand is built on. Boost is used by its headers alone: errand::boost_headers.
set(ERRAND_BOOST_MINIMUM 1.91)
set(ERRAND_DEPS_DIR "${PROJECT_SOURCE_DIR}/.deps" CACHE PATH
    "Where scripts/setup unpacked what the distribution is too old for")

find_package(Threads REQUIRED)
find_package(OpenSSL 3 REQUIRED)
find_package(spdlog REQUIRED)
find_package(SQLite3 3.40 REQUIRED)
if(ERRAND_CLI)
    find_package(CLI11 REQUIRED)
endif()

add_library(errand_boost_headers INTERFACE)
add_library(errand::boost_headers ALIAS errand_boost_headers)
set_target_properties(errand_boost_headers PROPERTIES EXPORT_NAME boost_headers)

# Sets result to the version of the Boost headers in a directory, like 1.92, or to "none".
function(errand_boost_version directory result)
    set(${result} "none" PARENT_SCOPE)
    if(EXISTS "${directory}/boost/version.hpp")
        file(STRINGS "${directory}/boost/version.hpp" line REGEX "^#define BOOST_LIB_VERSION")
        string(REGEX REPLACE ".*\"([0-9]+)_([0-9]+).*" "\\1.\\2" version "${line}")
        set(${result} "${version}" PARENT_SCOPE)
    endif()
endfunction()

set(ERRAND_BOOST_IS_BUNDLED FALSE)
find_package(Boost ${ERRAND_BOOST_MINIMUM} CONFIG QUIET)
if(Boost_FOUND)
    set(ERRAND_BOOST_VERSION "${Boost_VERSION_MAJOR}.${Boost_VERSION_MINOR}")
    target_link_libraries(errand_boost_headers INTERFACE Boost::headers)
else()
    find_path(ERRAND_BOOST_INCLUDE_DIR boost/version.hpp
        HINTS "${ERRAND_DEPS_DIR}/boost/include" DOC "Directory that holds boost/version.hpp")
    errand_boost_version("${ERRAND_BOOST_INCLUDE_DIR}" version)
    if(version STREQUAL "none" OR version VERSION_LESS ERRAND_BOOST_MINIMUM)
        unset(ERRAND_BOOST_INCLUDE_DIR CACHE)
        message(FATAL_ERROR
            "errand needs Boost >= ${ERRAND_BOOST_MINIMUM} (found: ${version}): run scripts/setup, which fetches it.")
    endif()
    set(ERRAND_BOOST_VERSION "${version}")
    target_include_directories(errand_boost_headers SYSTEM INTERFACE "$<BUILD_INTERFACE:${ERRAND_BOOST_INCLUDE_DIR}>")
    if(NOT ERRAND_BOOST_INCLUDE_DIR IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
        set(ERRAND_BOOST_IS_BUNDLED TRUE)
        target_include_directories(errand_boost_headers SYSTEM INTERFACE
            "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/errand-deps>")
    endif()
endif()

# Databases: on when what they need is there; the tests of errand are for all of them.
set(ERRAND_BOOST_MYSQL_IS_BUNDLED FALSE)
find_path(ERRAND_BOOST_MYSQL_INCLUDE_DIR boost/mysql/any_connection.hpp
    HINTS "${ERRAND_BOOST_INCLUDE_DIR}" "${Boost_INCLUDE_DIRS}" "${ERRAND_DEPS_DIR}/boost_mysql/libs/mysql/include"
    DOC "Directory that holds boost/mysql/any_connection.hpp")
# Boost.MySQL calls Boost.Charconv, which is compiled: a library, or the sources that scripts/setup unpacked.
find_package(boost_charconv CONFIG QUIET)
file(GLOB ERRAND_BOOST_CHARCONV_SOURCES "${ERRAND_DEPS_DIR}/boost_mysql/libs/charconv/src/*.cpp")
set(ERRAND_HAS_BOOST_MYSQL FALSE)
if(ERRAND_BOOST_MYSQL_INCLUDE_DIR AND (TARGET Boost::charconv OR ERRAND_BOOST_CHARCONV_SOURCES))
    set(ERRAND_HAS_BOOST_MYSQL TRUE)
endif()
find_package(PostgreSQL QUIET)

# errand_database_option(NAME text needs found): the option ERRAND_<NAME>; refuses what is asked for and not there.
function(errand_database_option name text needs found)
    set(default OFF)
    if(ERRAND_TESTS OR found)
        set(default ON)
    endif()
    option(ERRAND_${name} "${text}" ${default})
    if(ERRAND_TESTS AND NOT ERRAND_${name})
        message(FATAL_ERROR "The tests of errand are for every database: turn ERRAND_${name} on, or ERRAND_TESTS off.")
    endif()
    if(ERRAND_${name} AND NOT found)
        message(FATAL_ERROR "ERRAND_${name} needs ${needs}: run scripts/setup, or turn the option off.")
    endif()
endfunction()

errand_database_option(POSTGRES "Build errand::postgres" "libpq" "${PostgreSQL_FOUND}")
errand_database_option(MYSQL "Build errand::mysql" "Boost.MySQL and Boost.Charconv" ${ERRAND_HAS_BOOST_MYSQL})
