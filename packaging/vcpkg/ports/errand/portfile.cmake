# An overlay port that builds the checkout it lies in: vcpkg install errand --overlay-ports=packaging/vcpkg/ports
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../../.." ABSOLUTE)

vcpkg_check_linkage(ONLY_STATIC_LIBRARY)
vcpkg_check_features(OUT_FEATURE_OPTIONS features
    FEATURES
        cli ERRAND_CLI
        postgres ERRAND_POSTGRES
        mysql ERRAND_MYSQL
)
vcpkg_cmake_configure(
    SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS
        ${features}
        -DERRAND_TESTS=OFF
        -DERRAND_EXAMPLES=OFF
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/errand)
if("cli" IN_LIST FEATURES)
    vcpkg_copy_tools(TOOL_NAMES errand AUTO_CLEAN)
endif()
# Headers and texts are the same in both builds.
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share"
    "${CURRENT_PACKAGES_DIR}/lib/systemd" "${CURRENT_PACKAGES_DIR}/debug/lib/systemd")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
