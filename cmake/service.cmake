# errand::service, the HTTP service: src/service. Beside errand::errand, so that only who offers it links it.
file(GLOB service_sources CONFIGURE_DEPENDS src/service/*.cpp src/service/flow/*.cpp src/service/lmstfy/*.cpp
    src/service/console/*.cpp)
add_library(errand_service ${service_sources})
add_library(errand::service ALIAS errand_service)
errand_library(errand_service)
set_target_properties(errand_service PROPERTIES EXPORT_NAME service)
target_include_directories(errand_service PRIVATE "${PROJECT_SOURCE_DIR}/src")
target_link_libraries(errand_service PUBLIC errand::errand PRIVATE OpenSSL::SSL OpenSSL::Crypto)
target_compile_definitions(errand_service PRIVATE "ERRAND_SERVICE_VERSION=\"${PROJECT_VERSION}\"")
errand_warnings(errand_service)
errand_precompiled(errand_service HEADERS ${ERRAND_INSIDE_HEADERS})
file(GLOB_RECURSE pages CONFIGURE_DEPENDS console/*.js console/*.css console/*.svg console/*.html console/*.txt)
errand_embed_text(errand_service NAMESPACE errand::console NAME page_texts HEADER service/console/page_texts.hpp
    BASE "${PROJECT_SOURCE_DIR}/console" FILES ${pages})
# The one that includes Beast takes as long as all others, and who does not include OpenSSL is not to have its macros.
set_source_files_properties(src/service/connection.cpp src/service/client_stream.cpp src/service/tls_files.cpp PROPERTIES
    SKIP_UNITY_BUILD_INCLUSION ON)
