# Writes one C++ source with the texts of FILES; run by errand_embed_text at build time.
#
# Plain literals, a line of the text being a line of the source: any text fits, where a raw literal would end at its own
# delimiter and compilers limit its length.
cmake_minimum_required(VERSION 3.25)

function(as_literal file result)
    file(READ "${file}" text)
    string(REPLACE [[\]] [[\\]] text "${text}")
    string(REPLACE [["]] [[\"]] text "${text}")
    string(REPLACE "\r" [[\r]] text "${text}")
    string(REPLACE "\n" "\\n\"\n     \"" text "${text}")
    set(${result} "\"${text}\"" PARENT_SCOPE)
endfunction()

set(entries "")
foreach(file IN LISTS FILES)
    get_filename_component(name "${file}" NAME_WLE)
    as_literal("${file}" literal)
    string(APPEND entries "    {\"${name}\"sv,\n     ${literal}sv},\n")
endforeach()
list(LENGTH FILES count)

file(WRITE "${OUTPUT}" "// Generated; do not edit.
#include \"${HEADER}\"

#include <array>

namespace ${NAMESPACE} {

using namespace std::string_view_literals;

namespace {
const std::array<script_text, ${count}> texts{{
${entries}}};
}

const std::span<const script_text> ${NAME}{texts};

}  // namespace ${NAMESPACE}
")
