# cpack: liberrand-dev and errand as Debian packages, in the preset `package`.
#
# There is no liberrand0: errand promises no binary interface between versions (docs/upgrade.md), so a library that is shared would
# be wrong for every program but those compiled with it.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME errand)
set(CPACK_PACKAGE_CONTACT "the authors of errand <errand@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL dev program)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${CPACK_PACKAGE_CONTACT}")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME liberrand-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_COMPONENT_DEV_DESCRIPTION "C++20 coroutine task queue: headers and static libraries
 Declare a handler, call it like a local function, and the work runs once, somewhere in the cluster, with timeout,
 retries, deduplication and a result that can be awaited. Tasks are kept in a SQLite file or on Redis.")
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "g++-14 | clang-19, libspdlog-dev, libsqlite3-dev (>= 3.40), libssl-dev (>= 3)")
if(NOT ERRAND_BOOST_IS_BUNDLED)
    string(APPEND CPACK_DEBIAN_DEV_PACKAGE_DEPENDS ", libboost-dev (>= ${ERRAND_BOOST_MINIMUM})")
endif()
set(CPACK_DEBIAN_DEV_PACKAGE_RECOMMENDS "cmake (>= 3.25), errand")
set(CPACK_DEBIAN_DEV_PACKAGE_SUGGESTS "libpq-dev")

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME errand)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION utils)
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "looks at the tasks of errand and repairs what went wrong
 Queues, tasks, workers, schedules, limits and quotas at the command line, the same over HTTP (errand serve), and
 the beginning of a project (errand new).")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "tzdata")
include(CPack)
