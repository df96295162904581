# What tests of a user's project begin with: BUILD as it is installed, moved away from where it was installed to. In WORK.
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE "${WORK}")
execute_process(COMMAND "${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${WORK}/installed"
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(RENAME "${WORK}/installed" "${WORK}/moved")

# What names the place it was built in or installed to would not be found by others. (A library's lines for a debugger do.)
file(GLOB_RECURSE texts "${WORK}/moved/*.cmake" "${WORK}/moved/*.pc" "${WORK}/moved/*.service" "${WORK}/moved/include/errand/*")
foreach(text IN LISTS texts)
    file(READ "${text}" content)
    foreach(place "${BUILD}" "${WORK}")
        string(FIND "${content}" "${place}" at)
        if(NOT at EQUAL -1)
            message(FATAL_ERROR "${text} names ${place}: the installed files cannot be moved")
        endif()
    endforeach()
endforeach()
list(LENGTH texts count)
if(count LESS 20)
    message(FATAL_ERROR "only ${count} files were looked at: what is installed is not where it was looked for")
endif()
