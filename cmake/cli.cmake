# The program `errand`: src/cli. Its parts are a library, so that tests can call them.
file(GLOB cli_sources CONFIGURE_DEPENDS src/cli/*.cpp)
list(FILTER cli_sources EXCLUDE REGEX "/main\\.cpp$")
add_library(errand_cli_parts STATIC ${cli_sources})
target_include_directories(errand_cli_parts PUBLIC "${PROJECT_SOURCE_DIR}/src")
target_compile_definitions(errand_cli_parts PUBLIC "ERRAND_VERSION=\"${PROJECT_VERSION}\"")
target_link_libraries(errand_cli_parts PUBLIC errand::errand CLI11::CLI11)
errand_warnings(errand_cli_parts)

add_executable(errand_cli src/cli/main.cpp)
set_target_properties(errand_cli PROPERTIES OUTPUT_NAME errand INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
target_link_libraries(errand_cli PRIVATE errand_cli_parts)
errand_warnings(errand_cli)
