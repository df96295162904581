# Passes when the compiler refuses SOURCE and its output matches each `// expect: <regex>` of the source.
cmake_minimum_required(VERSION 3.25)

file(STRINGS "${SOURCE}" expectations REGEX "^// expect: ")
if(NOT expectations)
    message(FATAL_ERROR "${SOURCE}: no line `// expect: <regex>` says how the compiler is to refuse it")
endif()

execute_process(COMMAND "${COMPILER}" "@${FLAGS}" -fmessage-length=0 -c -o /dev/null "${SOURCE}"
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(result EQUAL 0)
    message(FATAL_ERROR "${SOURCE} compiles, and must not")
endif()
foreach(expectation IN LISTS expectations)
    string(REGEX REPLACE "^// expect: " "" regex "${expectation}")
    if(NOT output MATCHES "${regex}")
        message("${output}")
        message(FATAL_ERROR "${SOURCE} is refused, but not with\n  ${regex}")
    endif()
endforeach()
