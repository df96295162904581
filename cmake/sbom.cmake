# What is in a build, as SPDX 2.3 in JSON: share/doc/…/errand.spdx.json of what is installed.
#
# errand_sbom_row(id name version license HOW): one thing; HOW is CONTAINS for what is compiled in, DEPENDS_ON for what is there as a
# library when a program starts.
set(sbom_packages "")
set(sbom_relations "")
function(errand_sbom_row id name version license how)
    set(known "")
    if(version)
        set(known "\"versionInfo\": \"${version}\", ")
    endif()
    string(APPEND sbom_packages ",
        {\"SPDXID\": \"SPDXRef-${id}\", \"name\": \"${name}\", ${known}\"downloadLocation\": \"NOASSERTION\", \"filesAnalyzed\": false,
         \"licenseConcluded\": \"${license}\", \"licenseDeclared\": \"${license}\", \"copyrightText\": \"NOASSERTION\"}")
    string(APPEND sbom_relations ",
        {\"spdxElementId\": \"SPDXRef-errand\", \"relationshipType\": \"${how}\", \"relatedSpdxElement\": \"SPDXRef-${id}\"}")
    set(sbom_packages "${sbom_packages}" PARENT_SCOPE)
    set(sbom_relations "${sbom_relations}" PARENT_SCOPE)
endfunction()

if(Boost_FOUND)
    set(boost "${Boost_VERSION}")
else()
    errand_boost_version("${ERRAND_BOOST_INCLUDE_DIR}" boost)
endif()
errand_sbom_row(Boost Boost "${boost}" BSL-1.0 CONTAINS)
if(ERRAND_CLI)
    errand_sbom_row(CLI11 CLI11 "${CLI11_VERSION}" BSD-3-Clause CONTAINS)
endif()
if(TARGET errand_service)
    # What the console has of others, which is in the library as text.
    file(STRINGS "${PROJECT_SOURCE_DIR}/console/vendor/README.md" vendored REGEX "^[|] [a-z-]+ [|] [0-9.]+ [|] ")
    foreach(row IN LISTS vendored)
        string(REGEX MATCH "^[|] ([a-z-]+) [|] ([0-9.]+) [|] ([A-Za-z0-9.-]+) [|]" row "${row}")
        errand_sbom_row(${CMAKE_MATCH_1} ${CMAKE_MATCH_1} ${CMAKE_MATCH_2} ${CMAKE_MATCH_3} CONTAINS)
    endforeach()
endif()
errand_sbom_row(OpenSSL OpenSSL "${OPENSSL_VERSION}" Apache-2.0 DEPENDS_ON)
errand_sbom_row(SQLite SQLite "${SQLite3_VERSION}" blessing DEPENDS_ON)
errand_sbom_row(spdlog spdlog "${spdlog_VERSION}" MIT DEPENDS_ON)
errand_sbom_row(fmt fmt "${fmt_VERSION}" MIT DEPENDS_ON)
if(ERRAND_POSTGRES)
    errand_sbom_row(libpq libpq "${PostgreSQL_VERSION_STRING}" PostgreSQL DEPENDS_ON)
endif()

# The same build has the same name: with SOURCE_DATE_EPOCH the file is the same, byte for byte.
string(UUID sbom_uuid NAMESPACE 6ba7b812-9dad-11d1-80b4-00c04fd430c8 NAME "errand ${PROJECT_VERSION}${sbom_packages}" TYPE SHA1)
string(TIMESTAMP sbom_created "%Y-%m-%dT%H:%M:%SZ" UTC)
configure_file("${PROJECT_SOURCE_DIR}/packaging/errand.spdx.json.in" errand.spdx.json @ONLY)
