# What the program errand says of itself: its manual page and what shells complete; and the unit of `errand serve`.
set(texts "${CMAKE_CURRENT_BINARY_DIR}/program_texts")
file(MAKE_DIRECTORY "${texts}")

# errand_says(file words...): the file is what the program prints for the words.
set(said "")
function(errand_says file)
    add_custom_command(OUTPUT "${texts}/${file}" COMMAND errand_cli ${ARGN} > "${texts}/${file}" DEPENDS errand_cli VERBATIM)
    set(said ${said} "${texts}/${file}" PARENT_SCOPE)
endfunction()
errand_says(errand.1 man)
errand_says(errand.bash completion bash)
errand_says(_errand completion zsh)
errand_says(errand.fish completion fish)
add_custom_target(errand_program_texts ALL DEPENDS ${said})

set(data "${CMAKE_INSTALL_DATAROOTDIR}")
install(FILES "${texts}/errand.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT program)
install(FILES "${texts}/errand.bash" DESTINATION "${data}/bash-completion/completions" RENAME errand COMPONENT program)
install(FILES "${texts}/_errand" DESTINATION "${data}/zsh/vendor-completions" COMPONENT program)
install(FILES "${texts}/errand.fish" DESTINATION "${data}/fish/vendor_completions.d" COMPONENT program)

# systemd takes no program by a relative path: with packages it is /usr/bin. Elsewhere the file is a pattern.
set(ERRAND_UNIT_BINDIR "/usr/bin" CACHE PATH "Where the unit errand-serve.service expects the program errand")
configure_file(packaging/systemd/errand-serve.service errand-serve.service @ONLY)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/errand-serve.service" DESTINATION lib/systemd/system COMPONENT program)
