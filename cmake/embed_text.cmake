# errand_embed_text(target NAMESPACE ns NAME name HEADER header [BASE folder] FILES files...)
#
# Compiles the files' texts into the target as `const std::span<const embedded_text> ns::name` (src/core/embedded_text.hpp), sorted by
# file name without its extension; with BASE by the path from there, with its extension. The header, written by hand, declares it. A
# changed file is embedded again at the next build.
set(ERRAND_EMBED_TEXT "${CMAKE_CURRENT_LIST_DIR}/embed_text_write.cmake")

function(errand_embed_text target)
    cmake_parse_arguments(PARSE_ARGV 1 embed "" "NAMESPACE;NAME;HEADER;BASE" "FILES")
    if(embed_FILES)
        list(SORT embed_FILES)
    endif()
    set(output "${CMAKE_CURRENT_BINARY_DIR}/embedded/${target}/${embed_NAME}.cpp")
    add_custom_command(OUTPUT "${output}"
        COMMAND "${CMAKE_COMMAND}" "-DOUTPUT=${output}" "-DNAMESPACE=${embed_NAMESPACE}" "-DNAME=${embed_NAME}"
            "-DHEADER=${embed_HEADER}" "-DBASE=${embed_BASE}" "-DFILES=${embed_FILES}" -P "${ERRAND_EMBED_TEXT}"
        DEPENDS ${embed_FILES} "${ERRAND_EMBED_TEXT}"
        COMMENT "Embedding ${embed_NAME}" VERBATIM)
    # An object of its own: a program may bring other texts under the same name.
    set_source_files_properties("${output}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    target_sources(${target} PRIVATE "${output}")
endfunction()
