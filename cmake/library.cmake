# What all libraries of errand have in common, static or, with BUILD_SHARED_LIBS, shared.

# The number in liberrand.so.N. A version whose library does not suit programs that were linked with the last release has the
# next number; scripts/abi tells.
set(ERRAND_ABI 0)

include(CheckLinkerFlag)

# errand_version_script(target list): which names of it others see, in three lots:
#   ERRAND_N              what the public headers declare, by packaging/abi/<list>.symbols: programs are linked with these
#   ERRAND_BOOST_V        Boost's, of which one program must have one copy; another version of Boost is refused when a program starts
#   ERRAND_PRIVATE_X.Y.Z  the rest of errand's, for its own libraries and its program, of the same version alone
# Nothing else can be seen, such as what is instantiated of the standard library.
function(errand_version_script target list)
    set(list "${PROJECT_SOURCE_DIR}/packaging/abi/${list}.symbols")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${list}")
    file(STRINGS "${list}" public REGEX "^_Z")
    # Beside functions: of what a function keeps, of types for exceptions and virtual functions, and of what a thread has for itself.
    foreach(name 6errand 5boost)
        set(${name} "")
        foreach(form N NK NR NKR NO NKO ZN ZNK GVN GVZN GVZNK TVN TIN TSN TTN TCN THN TWN Th*_N Tv*_N Th*_NK Tv*_NK)
            string(APPEND ${name} "        _Z${form}${name}*;\n")
        endforeach()
    endforeach()
    list(JOIN public ";\n        " public)
    set(script "${CMAKE_CURRENT_BINARY_DIR}/${target}.map")
    file(CONFIGURE OUTPUT "${script}" CONTENT
"ERRAND_${ERRAND_ABI} {
    global:
        ${public};
};
ERRAND_BOOST_${ERRAND_BOOST_VERSION} {
    global:
${5boost}};
ERRAND_PRIVATE_${PROJECT_VERSION} {
    global:
${6errand}    local:
        *;
};
")
    target_link_options(${target} PRIVATE "LINKER:--version-script=${script}")
    errand_allow_absent_names(${target})
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS "${script}")
endfunction()

# errand_allow_absent_names(target): a list has names that some compilers make no function of, as all calls of it are inlined. Lld refuses
# them unless it is told to pass them by; older linkers pass them by and do not know the option.
function(errand_allow_absent_names target)
    separate_arguments(CMAKE_REQUIRED_LINK_OPTIONS NATIVE_COMMAND "${CMAKE_SHARED_LINKER_FLAGS}")
    check_linker_flag(CXX "LINKER:--undefined-version" ERRAND_LINKER_HAS_UNDEFINED_VERSION)
    if(ERRAND_LINKER_HAS_UNDEFINED_VERSION)
        target_link_options(${target} PRIVATE "LINKER:--undefined-version")
    endif()
endfunction()

# errand_library(target): its objects are the same for both kinds.
function(errand_library target)
    set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON DEFINE_SYMBOL ""
        VERSION ${PROJECT_VERSION} SOVERSION ${ERRAND_ABI} INSTALL_RPATH "$ORIGIN")
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "SHARED_LIBRARY")
        errand_version_script(${target} ${target})
    endif()
endfunction()
