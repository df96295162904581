# errand_handlers(library): whoever links this static library gets all of it.
#
# A handler registers itself before main() from an object that nothing refers to, and a linker leaves such objects of a
# static library out. The library stays an ordinary dependency as well, so that it is rebuilt and ordered as usual.
function(errand_handlers library)
    get_target_property(type ${library} TYPE)
    if(NOT type STREQUAL "STATIC_LIBRARY")
        message(FATAL_ERROR "errand_handlers(${library}): only static libraries need it, and this is a ${type}.")
    endif()
    if(APPLE)
        target_link_options(${library} INTERFACE "LINKER:-force_load,$<TARGET_FILE:${library}>")
    else()
        target_link_options(${library} INTERFACE
            "LINKER:--whole-archive,$<TARGET_FILE:${library}>,--no-whole-archive")
    endif()
endfunction()
