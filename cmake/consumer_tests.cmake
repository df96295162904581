# Tests of projects that use errand as users do: as it is installed, and from a checkout. What is installed is made once for all.
set(work "${CMAKE_CURRENT_BINARY_DIR}/consumer")
set(consumer "${CMAKE_CURRENT_SOURCE_DIR}/consumer")
set(chosen "-G" "${CMAKE_GENERATOR}" "-DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}")
if(ERRAND_CCACHE)
    list(APPEND chosen "-DCMAKE_CXX_COMPILER_LAUNCHER=${ERRAND_CCACHE}")
endif()

add_test(NAME "consumer: what is installed can be moved" COMMAND "${CMAKE_COMMAND}"
    "-DBUILD=${PROJECT_BINARY_DIR}" "-DWORK=${work}" -P "${PROJECT_SOURCE_DIR}/cmake/consume.cmake")
set_tests_properties("consumer: what is installed can be moved" PROPERTIES FIXTURES_SETUP consumer TIMEOUT 300
    LABELS consumer COST 60)
add_test(NAME "consumer: all is taken away" COMMAND "${CMAKE_COMMAND}" -E rm -rf "${work}")
set_tests_properties("consumer: all is taken away" PROPERTIES FIXTURES_CLEANUP consumer LABELS consumer)

# errand_consumer_test(name COMMAND command...): runs the script tests/consumer/<script> with what is installed.
function(errand_consumer_test name)
    cmake_parse_arguments(PARSE_ARGV 1 its "" "" "COMMAND")
    add_test(NAME "consumer: ${name}" COMMAND ${its_COMMAND})
    set_tests_properties("consumer: ${name}" PROPERTIES FIXTURES_REQUIRED consumer TIMEOUT 600 LABELS consumer COST 60)
endfunction()

errand_consumer_test("a project with find_package" COMMAND "${PROJECT_SOURCE_DIR}/scripts/lib/with-redis"
    "${consumer}/project" "${consumer}" "${work}/found" ${chosen} "-DCMAKE_PREFIX_PATH=${work}/moved" -DCMAKE_BUILD_TYPE=Release)
if(ERRAND_CLI)
    errand_consumer_test("what errand new writes" COMMAND
        "${consumer}/new_project" "${work}/moved" "${work}/new" ${chosen} "-DCMAKE_PREFIX_PATH=${work}/moved")
endif()
# One source of each is compiled: what follows is the same as above, and all of errand would take minutes.
if(NOT CMAKE_GENERATOR STREQUAL "Ninja")
    return()
endif()
foreach(way FETCHED ADDED)
    string(TOLOWER ${way} folder)
    add_test(NAME "consumer: a project that has errand ${folder}" COMMAND "${consumer}/compile_one"
        "${consumer}" "${work}-${folder}" ${chosen} "-DERRAND_${way}=${PROJECT_SOURCE_DIR}"
        "-DERRAND_OPENTELEMETRY=${CMAKE_CURRENT_SOURCE_DIR}/opentelemetry/stand_in"
        "-DERRAND_DEPS_DIR=${ERRAND_DEPS_DIR}" -DFETCHCONTENT_FULLY_DISCONNECTED=ON)
    set_tests_properties("consumer: a project that has errand ${folder}" PROPERTIES TIMEOUT 300 LABELS consumer COST 20)
endforeach()
