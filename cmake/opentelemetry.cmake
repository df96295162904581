# errand::opentelemetry, for who has OpenTelemetry's library for C++: a header, and what it is linked with. Read where errand is built,
# and where it was installed. A project that has errand in its tree sees it too.
if(TARGET opentelemetry-cpp::trace AND NOT TARGET errand::opentelemetry)
    add_library(errand::opentelemetry INTERFACE IMPORTED GLOBAL)
    target_link_libraries(errand::opentelemetry INTERFACE errand::errand opentelemetry-cpp::trace)
endif()
