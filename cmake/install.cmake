# cmake --install: headers, library, the program and package files. Nothing in the prefix names the place it was built in, nor the
# prefix itself, so that it can be moved.
include(CMakePackageConfigHelpers)
set(package "${CMAKE_INSTALL_LIBDIR}/cmake/errand")

install(TARGETS errand errand_service errand_boost_headers EXPORT errand)
if(ERRAND_POSTGRES)
    install(TARGETS errand_postgres EXPORT errand)
endif()
if(ERRAND_MYSQL)
    install(TARGETS errand_mysql EXPORT errand)
endif()
if(ERRAND_CLI)
    install(TARGETS errand_cli)
endif()
install(EXPORT errand NAMESPACE errand:: FILE errandTargets.cmake DESTINATION "${package}")
install(DIRECTORY include/errand DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.hpp")

# Unpacked Boost headers go along: no package of the user's system has them.
if(ERRAND_BOOST_IS_BUNDLED)
    install(DIRECTORY "${ERRAND_BOOST_INCLUDE_DIR}/boost" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/errand-deps")
endif()
if(ERRAND_BOOST_MYSQL_IS_BUNDLED)
    install(DIRECTORY "${ERRAND_BOOST_MYSQL_INCLUDE_DIR}/boost" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/errand-deps")
endif()

configure_package_config_file(cmake/errandConfig.cmake.in errandConfig.cmake INSTALL_DESTINATION "${package}")
write_basic_package_version_file(errandConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/errandConfig.cmake" "${CMAKE_CURRENT_BINARY_DIR}/errandConfigVersion.cmake"
    cmake/compiler.cmake cmake/handlers.cmake DESTINATION "${package}")
