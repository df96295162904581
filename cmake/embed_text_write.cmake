# Writes one C++ source with the texts of FILES; run by errand_embed_text at build time.
#
# Every byte is an escape: any content fits, also what a raw literal would end at, and no byte is changed on the way.
cmake_minimum_required(VERSION 3.25)

set(entries "")
foreach(file IN LISTS FILES)
    get_filename_component(name "${file}" NAME_WLE)
    if(BASE)
        file(RELATIVE_PATH name "${BASE}" "${file}")
    endif()
    file(READ "${file}" bytes HEX)
    string(REGEX REPLACE ".." [[\\x\0]] escapes "${bytes}")
    string(APPEND entries "    {\"${name}\"sv, \"${escapes}\"sv},\n")
endforeach()
list(LENGTH FILES count)

file(WRITE "${OUTPUT}" "// Generated; do not edit.
#include \"${HEADER}\"

#include <array>

namespace ${NAMESPACE} {

using namespace std::string_view_literals;

namespace {
const std::array<embedded_text, ${count}> ${NAME}_array{{
${entries}}};
}

const std::span<const embedded_text> ${NAME}{${NAME}_array};

}  // namespace ${NAMESPACE}
")
