# The databases that errand::errand does not bring along: a target each, so that only who uses one links its client.
# errand_database(name): src/sql/<name> and src/outbox/<name>.cpp as errand::<name>.
function(errand_database name)
    file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/sql/${name}/*.cpp")
    add_library(errand_${name} ${sources} "${PROJECT_SOURCE_DIR}/src/outbox/${name}.cpp")
    add_library(errand::${name} ALIAS errand_${name})
    errand_library(errand_${name})
    set_target_properties(errand_${name} PROPERTIES EXPORT_NAME ${name})
    target_include_directories(errand_${name} PRIVATE "${PROJECT_SOURCE_DIR}/src")
    target_link_libraries(errand_${name} PUBLIC errand::errand)
    # Known by its URL alone, too: src/sql/<name>/known.cpp. Of a shared library all is there; a program that names this would want one of the
    # very same version besides.
    get_target_property(type errand_${name} TYPE)
    if(type STREQUAL "STATIC_LIBRARY")
        string(LENGTH ${name} length)
        target_link_options(errand_${name} INTERFACE "LINKER:-u,_ZN6errand${length}${name}12known_by_urlE")
    endif()
    errand_warnings(errand_${name})
endfunction()

if(ERRAND_POSTGRES)
    errand_database(postgres)
    target_link_libraries(errand_postgres PRIVATE PostgreSQL::PostgreSQL)
endif()

if(ERRAND_MYSQL)
    errand_database(mysql)
    # One source compiles Boost.MySQL, for who adopts connections of it too: they must see the same setting.
    target_compile_definitions(errand_mysql PUBLIC BOOST_MYSQL_SEPARATE_COMPILATION)
    target_link_libraries(errand_mysql PUBLIC OpenSSL::SSL OpenSSL::Crypto)
    if(TARGET Boost::charconv)
        target_link_libraries(errand_mysql PRIVATE Boost::charconv)
    else()
        add_library(errand_boost_charconv OBJECT ${ERRAND_BOOST_CHARCONV_SOURCES})
        set_target_properties(errand_boost_charconv PROPERTIES POSITION_INDEPENDENT_CODE ON)
        target_link_libraries(errand_boost_charconv PRIVATE errand::boost_headers)
        target_sources(errand_mysql PRIVATE "$<TARGET_OBJECTS:errand_boost_charconv>")
    endif()
    # Beside the other headers of Boost it needs no path of its own.
    if(NOT ERRAND_BOOST_MYSQL_INCLUDE_DIR STREQUAL ERRAND_BOOST_INCLUDE_DIR
            AND NOT ERRAND_BOOST_MYSQL_INCLUDE_DIR IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES
            AND NOT ERRAND_BOOST_MYSQL_INCLUDE_DIR IN_LIST Boost_INCLUDE_DIRS)
        set(ERRAND_BOOST_MYSQL_IS_BUNDLED TRUE)
        target_include_directories(errand_mysql SYSTEM PUBLIC
            "$<BUILD_INTERFACE:${ERRAND_BOOST_MYSQL_INCLUDE_DIR}>"
            "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/errand-deps>")
    endif()
endif()
