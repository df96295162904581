# The stand-in as the library's own package is found: its headers, each of which has all of it, and its target.
set(stand_in "${CMAKE_CURRENT_BINARY_DIR}/opentelemetry_stand_in")
foreach(name common/attribute_value common/timestamp nostd/span nostd/string_view trace/default_span trace/scope trace/span_context
        trace/span_metadata trace/trace_flags trace/trace_state trace/tracer sdk/instrumentationscope/instrumentation_scope
        sdk/resource/resource sdk/trace/processor sdk/trace/recordable)
    file(CONFIGURE OUTPUT "${stand_in}/opentelemetry/${name}.h"
        CONTENT "#pragma once\n#include \"${CMAKE_CURRENT_LIST_DIR}/sdk.h\"\n")
endforeach()
if(NOT TARGET opentelemetry-cpp::trace)
    add_library(opentelemetry-cpp::trace INTERFACE IMPORTED)
    target_include_directories(opentelemetry-cpp::trace INTERFACE "${stand_in}")
endif()
