# Tests of what others see of the shared library: it is linked of the objects of the static one, which takes seconds.
if(NOT BUILD_SHARED_LIBS)
    add_library(errand_shared SHARED "${PROJECT_SOURCE_DIR}/cmake/empty.cpp")
    target_link_libraries(errand_shared PRIVATE "$<LINK_LIBRARY:WHOLE_ARCHIVE,errand>")
    set_target_properties(errand_shared PROPERTIES OUTPUT_NAME errand SOVERSION ${ERRAND_ABI})
    errand_version_script(errand_shared errand)
    # The harness without a test framework once more, with what a program has of errand's targets but for the library itself.
    add_executable(errand_shared_test plain_harness/main.cpp)
    foreach(property INCLUDE_DIRECTORIES COMPILE_DEFINITIONS)
        set_target_properties(errand_shared_test PROPERTIES ${property} "$<TARGET_PROPERTY:errand,INTERFACE_${property}>")
    endforeach()
    target_compile_features(errand_shared_test PRIVATE cxx_std_20)
    target_link_libraries(errand_shared_test PRIVATE errand_shared errand::boost_headers spdlog::spdlog Threads::Threads)
    errand_test_code(errand_shared_test)
    add_test(NAME "shared library: a program runs with it" COMMAND errand_shared_test)
    add_test(NAME "shared library: a program is linked with what is promised"
        COMMAND "${CMAKE_CURRENT_SOURCE_DIR}/consumer/linked" $<TARGET_FILE:errand_shared_test>)
    add_test(NAME "shared library: nothing but errand and Boost is seen of it"
        COMMAND "${CMAKE_CURRENT_SOURCE_DIR}/shared/seen" $<TARGET_FILE:errand_shared> ${ERRAND_ABI})
    set_tests_properties("shared library: a program runs with it" "shared library: a program is linked with what is promised"
        "shared library: nothing but errand and Boost is seen of it" PROPERTIES TIMEOUT 60 LABELS shared)
endif()
# Each linker that the compiler finds links a library that has none of the names.
foreach(linker bfd lld)
    check_linker_flag(CXX "-fuse-ld=${linker}" ERRAND_FINDS_${linker})
    if(ERRAND_FINDS_${linker})
        set(build "${CMAKE_CURRENT_BINARY_DIR}/absent_names_${linker}")
        add_test(NAME "shared library: ${linker} passes by what a list has and the library has not" COMMAND "${CMAKE_CTEST_COMMAND}"
            --build-and-test "${CMAKE_CURRENT_SOURCE_DIR}/shared/absent_names" "${build}"
            --build-generator "${CMAKE_GENERATOR}" --build-options "-DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}"
            "-DCMAKE_SHARED_LINKER_FLAGS=-fuse-ld=${linker}")
        set_tests_properties("shared library: ${linker} passes by what a list has and the library has not" PROPERTIES TIMEOUT 120
            LABELS shared)
    endif()
endforeach()
add_test(NAME "shared library: what would break programs is found" COMMAND "${CMAKE_CURRENT_SOURCE_DIR}/shared/finds")
set_tests_properties("shared library: what would break programs is found" PROPERTIES TIMEOUT 60 LABELS shared)
