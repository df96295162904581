# Passes when the compiler refuses SOURCE and its output matches each `// expect: <regex>` of the source.
# HEADER: what it includes, compiled before; or empty.
cmake_minimum_required(VERSION 3.25)

file(STRINGS "${SOURCE}" expectations REGEX "^// expect: ")
if(NOT expectations)
    message(FATAL_ERROR "${SOURCE}: no line `// expect: <regex>` says how the compiler is to refuse it")
endif()

set(before "")
if(HEADER)
    set(before -include-pch "${HEADER}")
endif()
execute_process(COMMAND "${COMPILER}" "@${FLAGS}" ${before} -fmessage-length=0 -fsyntax-only "${SOURCE}"
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
