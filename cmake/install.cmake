# cmake --install: headers, libraries, the program and package files. Nothing in the prefix names the place it was built in, nor the
# prefix itself, so that it can be moved. Components: `dev` for who compiles against errand, `program` for who looks after tasks; where
# the libraries are shared, `runtime` for who runs a program that is linked with them, and `postgres` for one that uses PostgreSQL.
include(CMakePackageConfigHelpers)
include(cmake/sbom.cmake)
set(package "${CMAKE_INSTALL_LIBDIR}/cmake/errand")

# errand_install_library(component target...): shared, for the component; all that a linker needs beside it is of `dev`.
function(errand_install_library component)
    install(TARGETS ${ARGN} EXPORT errand
        LIBRARY COMPONENT ${component} NAMELINK_COMPONENT dev ARCHIVE COMPONENT dev)
endfunction()
errand_install_library(runtime errand errand_service errand_boost_headers)
if(ERRAND_POSTGRES)
    errand_install_library(postgres errand_postgres)
endif()
if(ERRAND_MYSQL)
    errand_install_library(runtime errand_mysql)
endif()
install(EXPORT errand NAMESPACE errand:: FILE errandTargets.cmake DESTINATION "${package}" COMPONENT dev)
install(DIRECTORY include/errand DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT dev FILES_MATCHING PATTERN "*.hpp")

# Unpacked Boost headers go along: no package of the user's system has them.
if(ERRAND_BOOST_IS_BUNDLED)
    install(DIRECTORY "${ERRAND_BOOST_INCLUDE_DIR}/boost" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/errand-deps" COMPONENT dev)
endif()
if(ERRAND_BOOST_MYSQL_IS_BUNDLED)
    install(DIRECTORY "${ERRAND_BOOST_MYSQL_INCLUDE_DIR}/boost" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/errand-deps" COMPONENT dev)
endif()

configure_package_config_file(cmake/errandConfig.cmake.in errandConfig.cmake INSTALL_DESTINATION "${package}")
write_basic_package_version_file(errandConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/errandConfig.cmake" "${CMAKE_CURRENT_BINARY_DIR}/errandConfigVersion.cmake"
    cmake/compiler.cmake cmake/handlers.cmake cmake/opentelemetry.cmake DESTINATION "${package}" COMPONENT dev)

# errand_install_about(component folder): its licences, and what is in it.
function(errand_install_about component folder)
    install(FILES packaging/copyright "${CMAKE_CURRENT_BINARY_DIR}/errand.spdx.json" CHANGELOG.md
        DESTINATION "${CMAKE_INSTALL_DATAROOTDIR}/doc/${folder}" COMPONENT ${component})
endfunction()
errand_install_about(dev liberrand-dev)
if(BUILD_SHARED_LIBS)
    errand_install_about(runtime liberrand${ERRAND_ABI})
    if(ERRAND_POSTGRES)
        errand_install_about(postgres liberrand-postgres${ERRAND_ABI})
    endif()
endif()

if(ERRAND_CLI)
    install(TARGETS errand_cli COMPONENT program)
    errand_install_about(program errand)
    include(cmake/program_texts.cmake)
endif()
