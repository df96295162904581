# How the folders of tests/ become programs and ctest cases.
find_package(Catch2 3 REQUIRED HINTS "${ERRAND_DEPS_DIR}/catch2")
include(Catch)

# Sanitizers slow a program down; a test that hangs is to be told from one that is slow.
set(ERRAND_TIMEOUT_FACTOR 1)
if(ERRAND_SANITIZE)
    set(ERRAND_TIMEOUT_FACTOR 6)
endif()

function(errand_timeout seconds result)
    math(EXPR value "${seconds} * ${ERRAND_TIMEOUT_FACTOR}")
    set(${result} ${value} PARENT_SCOPE)
endfunction()

set(ERRAND_TEST_OPTIONS "" CACHE STRING "Compiler's options for the sources of tests and examples alone")

# errand_test_code(target): its sources are of a test or an example.
function(errand_test_code target)
    separate_arguments(options NATIVE_COMMAND "${ERRAND_TEST_OPTIONS}")
    target_compile_options(${target} PRIVATE ${options})
endfunction()

# errand_test_program(name SOURCES files...): a program of errand's own, with its warnings and its internal headers.
function(errand_test_program name)
    cmake_parse_arguments(PARSE_ARGV 1 program "" "" "SOURCES")
    add_executable(${name} ${program_SOURCES})
    target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/src")
    target_link_libraries(${name} PRIVATE errand::errand errand_test_support)
    errand_warnings(${name})
    errand_test_code(${name})
    errand_precompiled(${name} REUSE_FROM errand_test_support)
    # Names of one test's file may be those of another's: then the inner one is meant.
    target_compile_options(${name} PRIVATE -Wno-shadow)
endfunction()

# errand_catch_tests(folder TIMEOUT seconds [COST seconds] [PARTS n] [ALONE]): all sources of the folder are one Catch2 program, each test case a ctest
# case "folder: name" with the label folder, or folder-concurrent when tagged [concurrent]: those run under TSan.
# With STORES the cases are there once for each store, as "folder store: name"; a case tagged with a capability that a store
# lacks is left out there. With DATABASES they are there for each database, as "folder database store: name"; with DRIVERS
# likewise, as "folder database: name", and labelled `transaction`. Cases for one database alone are tagged [only_<database>].
set(ERRAND_LACKS_redis "")
# An open file of SQLite is not to be carried over a fork.
set(ERRAND_LACKS_sqlite "~[goes_away]~[in_shards]~[forked]")
# Tasks are kept in the file of the test's own database.
set(ERRAND_LACKS_sqlite-inside "${ERRAND_LACKS_sqlite}~[through_outbox]")
set(ERRAND_LACKS_sqlite-memory "~[goes_away]~[in_shards]~[forked]~[shared_by_apps]")
# What is submitted is encrypted: [plain] is for tests that look at what the store keeps. (CMake also wants that no two stores leave
# out just the same.)
set(ERRAND_LACKS_sqlite-memory-sealed "${ERRAND_LACKS_sqlite-memory}~[plain]")

# errand_other_databases(database result): the tests that are for another one, left out.
function(errand_other_databases database result)
    set(others sqlite postgres mysql)
    list(REMOVE_ITEM others ${database})
    list(TRANSFORM others REPLACE "(.+)" "~[only_\\1]")
    string(JOIN "" others ${others})
    set(${result} "${others}" PARENT_SCOPE)
endfunction()

# An argument that is given as "" is one that is not given.
if(POLICY CMP0174)
    cmake_policy(SET CMP0174 NEW)
endif()

# A process and a server for each case take longer than most cases, with a sanitizer most of a second.
set(share OFF)
if(ERRAND_SANITIZE)
    set(share ON)
endif()
option(ERRAND_TESTS_SHARE_PROCESSES "The cases of a test program run in a few processes instead of one each" ${share})

# errand_cases(program NAMED prefix LABEL label TIMEOUT seconds COST seconds [PARTS n] [WITHOUT tags] [WITH environment] [ALONE]): what of
# the program's cases is not tagged so. ALONE: each case is worth a process of its own.
function(errand_cases program)
    cmake_parse_arguments(PARSE_ARGV 1 its "ALONE" "NAMED;LABEL;TIMEOUT;COST;PARTS;WITHOUT;WITH" "")
    # A skipped case is a failure: what it needs is installed by scripts/setup.
    set(skipped "[|] +[0-9]+ skipped")
    foreach(kind "" -concurrent)
        set(properties LABELS ${its_LABEL}${kind})
        if(its_WITH)
            list(APPEND properties ENVIRONMENT "${its_WITH}")
        endif()
        set(cases "~[concurrent]${its_WITHOUT}")
        set(parts 4)
        if(its_PARTS)
            set(parts ${its_PARTS})
        endif()
        set(may_be_empty "")
        if(kind)
            set(cases "[concurrent]${its_WITHOUT}")
            set(parts 1)
            set(may_be_empty --allow-running-no-tests)
        endif()
        if(ERRAND_TESTS_SHARE_PROCESSES AND NOT its_ALONE)
            foreach(part RANGE 1 ${parts})
                math(EXPR index "${part} - 1")
                set(name "${its_NAMED}${kind}: part ${part} of ${parts}")
                add_test(NAME "${name}" COMMAND ${program} "${cases}" --shard-count ${parts} --shard-index ${index}
                    ${may_be_empty} --durations yes)
                set_tests_properties("${name}" PROPERTIES TIMEOUT 900 COST 60 FAIL_REGULAR_EXPRESSION "${skipped}"
                    ${properties})
            endforeach()
        else()
            catch_discover_tests(${program} DISCOVERY_MODE PRE_TEST SKIP_IS_FAILURE TEST_PREFIX "${its_NAMED}: "
                TEST_SPEC "${cases}" PROPERTIES TIMEOUT ${its_TIMEOUT} COST ${its_COST} ${properties})
        endif()
    endforeach()
endfunction()

function(errand_catch_tests folder)
    cmake_parse_arguments(PARSE_ARGV 1 tests "ALONE" "TIMEOUT;COST;PARTS" "STORES;DATABASES;DRIVERS")
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.cpp)
    if(NOT sources)
        return()
    endif()
    errand_test_program(errand_${folder}_tests SOURCES ${sources})
    target_link_libraries(errand_${folder}_tests PRIVATE Catch2::Catch2WithMain)
    errand_timeout(${tests_TIMEOUT} timeout)
    # The longest begin first, so that none is left at the end with nothing beside it.
    set(cost 0)
    if(tests_COST)
        set(cost ${tests_COST})
    endif()
    if(NOT tests_STORES AND NOT tests_DATABASES AND NOT tests_DRIVERS)
        set(alone "")
        if(tests_ALONE)
            set(alone ALONE)
        endif()
        errand_cases(errand_${folder}_tests NAMED "${folder}" LABEL ${folder} TIMEOUT ${timeout} COST ${cost}
            PARTS "${tests_PARTS}" ${alone})
    endif()
    foreach(store IN LISTS tests_STORES)
        errand_cases(errand_${folder}_tests NAMED "${folder} ${store}" LABEL ${folder} TIMEOUT ${timeout}
            COST ${cost} WITHOUT "${ERRAND_LACKS_${store}}" WITH "ERRAND_TEST_STORE=${store}")
    endforeach()
    # Tasks go to Redis; on SQLite they go to a file of their own as well, and to that of the test's database.
    foreach(database IN LISTS tests_DATABASES)
        foreach(store redis sqlite sqlite-inside)
            if(NOT store STREQUAL "redis" AND NOT database STREQUAL "sqlite")
                continue()
            endif()
            errand_other_databases(${database} lacks)
            string(APPEND lacks "${ERRAND_LACKS_${store}}")
            if(database STREQUAL "sqlite")
                string(APPEND lacks "~[served]")
            else()
                string(APPEND lacks "~[on_sqlite]")
            endif()
            if(NOT store STREQUAL "sqlite-inside")
                string(APPEND lacks "~[inside]")
            endif()
            # One variable says both: a list of them would be taken apart on its way to the test.
            set(environment "ERRAND_TEST_DATABASE=${database}")
            if(database STREQUAL "sqlite")
                set(environment "ERRAND_TEST_STORE=${store}")
            endif()
            errand_cases(errand_${folder}_tests NAMED "${folder} ${database} ${store}" LABEL ${folder}
                TIMEOUT ${timeout} COST ${cost} WITHOUT "${lacks}" WITH "${environment}")
        endforeach()
    endforeach()
    foreach(database IN LISTS tests_DRIVERS)
        errand_other_databases(${database} lacks)
        errand_cases(errand_${folder}_tests NAMED "${folder} ${database}" LABEL transaction TIMEOUT ${timeout}
            COST ${cost} WITHOUT "${lacks}" WITH "ERRAND_TEST_DATABASE=${database}")
    endforeach()
endfunction()

# errand_header_tests(): each public header is the only include of a source of its own, so it must compile alone.
function(errand_header_tests)
    file(GLOB headers CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/include/errand/*.hpp")
    set(sources "")
    foreach(header IN LISTS headers)
        string(MAKE_C_IDENTIFIER "${header}" name)
        set(source "${CMAKE_CURRENT_BINARY_DIR}/headers/${name}.cpp")
        file(CONFIGURE OUTPUT "${source}" CONTENT "#include <${header}>\n#include <${header}>  // guarded\n")
        list(APPEND sources "${source}")
    endforeach()
    if(sources)
        add_library(errand_header_tests OBJECT ${sources})
        target_link_libraries(errand_header_tests PRIVATE errand::errand)
        errand_warnings(errand_header_tests)
        errand_test_code(errand_header_tests)
        set_target_properties(errand_header_tests PROPERTIES UNITY_BUILD OFF)
    endif()
endfunction()

# errand_compile_fail_tests(folder): each source must be refused, in the words of its first lines `// expect: <regex>`.
function(errand_compile_fail_tests folder)
    # Never built: its properties say how a user's source would be compiled.
    add_library(errand_compile_flags OBJECT EXCLUDE_FROM_ALL "${PROJECT_SOURCE_DIR}/cmake/empty.cpp")
    target_link_libraries(errand_compile_flags PRIVATE errand::errand)
    set(includes "$<TARGET_PROPERTY:errand_compile_flags,INCLUDE_DIRECTORIES>")
    set(definitions "$<TARGET_PROPERTY:errand_compile_flags,COMPILE_DEFINITIONS>")
    # Without the echo of source lines: the words must come from the compiler's messages, not from the code they point at.
    set(no_echo -fno-caret-diagnostics)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        set(no_echo -fno-diagnostics-show-caret)
    endif()
    set(flags "${CMAKE_CURRENT_BINARY_DIR}/compile_fail_flags.rsp")
    file(GENERATE OUTPUT "${flags}" CONTENT
        "-std=c++20\n-w\n${no_echo}\n-I$<JOIN:${includes},\n-I>\n-D$<JOIN:${definitions},\n-D>\n")
    file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp)
    errand_timeout(180 timeout)
    # What all of them include is read once.
    set(header "")
    if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
        set(header "${CMAKE_CURRENT_BINARY_DIR}/${folder}.pch")
        add_test(NAME "${folder}: errand.hpp" COMMAND "${CMAKE_CXX_COMPILER}" "@${flags}" -x c++-header
            "${PROJECT_SOURCE_DIR}/include/errand/errand.hpp" -o "${header}")
        set_tests_properties("${folder}: errand.hpp" PROPERTIES TIMEOUT ${timeout} LABELS ${folder}
            FIXTURES_SETUP ${folder}_header)
    endif()
    foreach(source IN LISTS sources)
        get_filename_component(name "${source}" NAME_WE)
        add_test(NAME "${folder}: ${name}" COMMAND "${CMAKE_COMMAND}" "-DCOMPILER=${CMAKE_CXX_COMPILER}"
            "-DFLAGS=${flags}" "-DHEADER=${header}" "-DSOURCE=${source}"
            -P "${PROJECT_SOURCE_DIR}/cmake/must_not_compile.cmake")
        set_tests_properties("${folder}: ${name}" PROPERTIES TIMEOUT ${timeout} LABELS ${folder})
        if(header)
            set_tests_properties("${folder}: ${name}" PROPERTIES FIXTURES_REQUIRED ${folder}_header)
        endif()
    endforeach()
endfunction()

# After errand_compile_fail_tests(compile_fail), whose flags and header these use: each page compiles, block by block, as it stands.
function(errand_page_code_tests)
    set(compiler "${CMAKE_CXX_COMPILER}" "@${CMAKE_CURRENT_BINARY_DIR}/compile_fail_flags.rsp")
    if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
        list(APPEND compiler -include-pch "${CMAKE_CURRENT_BINARY_DIR}/compile_fail.pch")
    endif()
    errand_timeout(300 timeout)
    file(GLOB_RECURSE pages CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/docs/*.md")
    foreach(page IN LISTS pages)
        file(STRINGS "${PROJECT_SOURCE_DIR}/${page}" code REGEX "^```cpp$")
        if(NOT code)
            continue()
        endif()
        add_test(NAME "page code: ${page}" COMMAND "${CMAKE_CURRENT_SOURCE_DIR}/page_code/compile" "${page}" ${compiler})
        set_tests_properties("page code: ${page}" PROPERTIES TIMEOUT ${timeout} LABELS page_code COST 20)
        if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
            set_tests_properties("page code: ${page}" PROPERTIES FIXTURES_REQUIRED compile_fail_header)
        endif()
    endforeach()
endfunction()
