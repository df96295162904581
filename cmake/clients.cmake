# The clients for other languages, each tested with a real server on each store. A missing interpreter fails in CI alone.
file(GLOB node_tests CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/clients/node/tests/*.test.js")
set(python_command python3 -W error::ResourceWarning -m unittest discover -v -s "${PROJECT_SOURCE_DIR}/clients/python/tests")
set(node_command node --test ${node_tests})
foreach(language python node)
    foreach(store redis sqlite)
        set(name "clients ${store}: ${language}")
        add_test(NAME "${name}"
            COMMAND "${PROJECT_SOURCE_DIR}/scripts/lib/with-interpreter" ${language}
                "${PROJECT_SOURCE_DIR}/scripts/lib/with-${store}" ${${language}_command})
        set_tests_properties("${name}" PROPERTIES TIMEOUT 300 LABELS clients COST 25 SKIP_RETURN_CODE 77
            ENVIRONMENT "ERRAND_PROGRAM=$<TARGET_FILE:errand_cli>")
    endforeach()
endforeach()
