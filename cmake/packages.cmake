# cpack: Debian packages of the preset `package`, whose libraries are shared: liberrandN for programs that are linked with them,
# liberrand-postgresN for those that use PostgreSQL besides, liberrand-dev and errand.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME errand)
set(CPACK_PACKAGE_CONTACT "the authors of errand <errand@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL dev program)
if(BUILD_SHARED_LIBS)
    list(APPEND CPACK_COMPONENTS_ALL runtime)
    if(ERRAND_POSTGRES)
        list(APPEND CPACK_COMPONENTS_ALL postgres)
    endif()
endif()
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${CPACK_PACKAGE_CONTACT}")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME liberrand-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_COMPONENT_DEV_DESCRIPTION "C++20 coroutine task queue: headers and files for CMake
 Declare a handler, call it like a local function, and the work runs once, somewhere in the cluster, with timeout,
 retries, deduplication and a result that can be awaited. Tasks are kept in a SQLite file or on Redis.")
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "g++-14 | clang-19, libspdlog-dev, libsqlite3-dev (>= 3.40), libssl-dev (>= 3)")
if(NOT ERRAND_BOOST_IS_BUNDLED)
    string(APPEND CPACK_DEBIAN_DEV_PACKAGE_DEPENDS ", libboost-dev (>= ${ERRAND_BOOST_MINIMUM})")
endif()
# Of the very same version: what they need of each other is seen by no other one.
set(errand_libraries "")
if(BUILD_SHARED_LIBS)
    set(errand_libraries ", liberrand${ERRAND_ABI} (= ${PROJECT_VERSION})")
    if(ERRAND_POSTGRES)
        string(APPEND errand_libraries ", liberrand-postgres${ERRAND_ABI} (= ${PROJECT_VERSION})")
    endif()
endif()
string(APPEND CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "${errand_libraries}")
set(CPACK_DEBIAN_DEV_PACKAGE_RECOMMENDS "cmake (>= 3.25), errand")
set(CPACK_DEBIAN_DEV_PACKAGE_SUGGESTS "libpq-dev")

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME errand)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION utils)
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "looks at the tasks of errand and repairs what went wrong
 Queues, tasks, workers, schedules, limits and quotas at the command line, the same over HTTP (errand serve), and
 the beginning of a project (errand new).")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "tzdata${errand_libraries}")

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME liberrand${ERRAND_ABI})
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "C++20 coroutine task queue: shared libraries
 For programs that submit tasks or work on them, on a SQLite file or on Redis.")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_DEPENDS "tzdata")
set(CPACK_DEBIAN_POSTGRES_PACKAGE_NAME liberrand-postgres${ERRAND_ABI})
set(CPACK_DEBIAN_POSTGRES_PACKAGE_SECTION libs)
set(CPACK_COMPONENT_POSTGRES_DESCRIPTION "C++20 coroutine task queue: shared library for PostgreSQL
 For programs of errand whose transactions are those of a PostgreSQL database.")
set(CPACK_DEBIAN_POSTGRES_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_POSTGRES_PACKAGE_DEPENDS "liberrand${ERRAND_ABI} (= ${PROJECT_VERSION})")
# What other packages are to name that have such a program. CPack could find it out, and would start two processes for each file of every
# package: one of them has Boost's 16,000 headers, and where a machine is busy that takes an hour.
set(errand_in_runtime errand errand_service)
if(ERRAND_MYSQL)
    list(APPEND errand_in_runtime errand_mysql)
endif()
set(errand_in_postgres errand_postgres)
foreach(component runtime postgres)
    string(TOUPPER ${component} its)
    list(TRANSFORM errand_in_${component} REPLACE "(.+)"
        "lib\\1 ${ERRAND_ABI} ${CPACK_DEBIAN_${its}_PACKAGE_NAME} (>= ${PROJECT_VERSION})\n" OUTPUT_VARIABLE lines)
    list(JOIN lines "" lines)
    file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/packages/${component}/shlibs" CONTENT "${lines}" @ONLY)
    set(CPACK_DEBIAN_${its}_PACKAGE_CONTROL_EXTRA "${CMAKE_CURRENT_BINARY_DIR}/packages/${component}/shlibs")
endforeach()
# Where the libraries are before they are installed.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${CMAKE_CURRENT_BINARY_DIR}")
include(CPack)
