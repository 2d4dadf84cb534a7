# Installation and the Debian package. Everything finds its parts from its own place, so that an installation may be moved:
# the program the kit (apps/takt/new_fmu_command.c), pkg-config, the CMake packages and the Python package the library.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(TAKT_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake)
file(RELATIVE_PATH TAKT_PC_TO_PREFIX /p/${CMAKE_INSTALL_LIBDIR}/pkgconfig /p)
file(RELATIVE_PATH TAKT_CMAKE_TO_PREFIX /p/${TAKT_CMAKE_DIR}/Takt /p)
get_target_property(TAKT_SOVERSION takt_shared SOVERSION)

install(TARGETS takt takt-worker takt_shared takt_static)
if(TARGET takt-worker-linux32 AND TAKT_INSTALL_32_BITS)
    install(TARGETS takt-worker-linux32) # not by default: it needs the C library with 32 bits to be there
endif()
if(TARGET takt-worker-win64)
    install(PROGRAMS ${CMAKE_BINARY_DIR}/takt-worker-win64.exe.so TYPE BIN)
endif()
if(TARGET takt-mpi AND TAKT_INSTALL_MPI)
    install(TARGETS takt-mpi) # not by default: it needs MPI to be there
endif()
install(DIRECTORY include/takt TYPE INCLUDE)
install(DIRECTORY kit/cmake kit/include kit/src DESTINATION ${CMAKE_INSTALL_DATADIR}/takt/kit)
install(DIRECTORY include/fmi DESTINATION ${CMAKE_INSTALL_DATADIR}/takt/kit/include) # so that the kit stands alone
install(FILES docs/kit.md DESTINATION ${CMAKE_INSTALL_DATADIR}/takt/kit)

set(GENERATED ${CMAKE_BINARY_DIR}/generated)
configure_file(packaging/takt.pc.in ${GENERATED}/takt.pc @ONLY)
install(FILES ${GENERATED}/takt.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
foreach(package Takt FmuKit)
    configure_file(packaging/${package}Config.cmake.in ${GENERATED}/${package}Config.cmake @ONLY)
    write_basic_package_version_file(${GENERATED}/${package}ConfigVersion.cmake COMPATIBILITY SameMinorVersion)
    install(FILES ${GENERATED}/${package}Config.cmake ${GENERATED}/${package}ConfigVersion.cmake
            DESTINATION ${TAKT_CMAKE_DIR}/${package})
endforeach()

# The manual page and completions say what the program says of itself.
foreach(file man/takt.1 bash/takt zsh/_takt fish/takt.fish)
    string(REGEX REPLACE "/.*" "" kind ${file})
    get_filename_component(folder ${GENERATED}/${file} DIRECTORY)
    file(MAKE_DIRECTORY ${folder})
    add_custom_command(OUTPUT ${GENERATED}/${file} COMMAND takt completion ${kind} > ${GENERATED}/${file} DEPENDS takt VERBATIM)
    list(APPEND TAKT_TEXTS ${GENERATED}/${file})
endforeach()
# Compressed, as distributions want them: the manual page, that of the worker, which is a reference, and Debian's list of changes.
file(WRITE ${GENERATED}/man/takt-worker.1 ".so man1/takt.1\n")
configure_file(packaging/changelog.in ${GENERATED}/changelog @ONLY)
foreach(file man/takt.1 man/takt-worker.1 changelog)
    add_custom_command(OUTPUT ${GENERATED}/${file}.gz COMMAND gzip -9nc ${GENERATED}/${file} > ${GENERATED}/${file}.gz
                       DEPENDS ${GENERATED}/${file} VERBATIM)
    list(APPEND TAKT_TEXTS ${GENERATED}/${file}.gz)
endforeach()
add_custom_target(texts ALL DEPENDS ${TAKT_TEXTS})
install(FILES ${GENERATED}/man/takt.1.gz ${GENERATED}/man/takt-worker.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${GENERATED}/changelog.gz CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/takt)
install(FILES ${GENERATED}/bash/takt DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${GENERATED}/zsh/_takt DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(FILES ${GENERATED}/fish/takt.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

# Debian's place for Python packages, which its interpreters look at below /usr.
install(DIRECTORY python/takt DESTINATION lib/python3/dist-packages PATTERN __pycache__ EXCLUDE)
install(DIRECTORY python/examples DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/takt PATTERN __pycache__ EXCLUDE)
install(DIRECTORY examples/api DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/takt/examples PATTERN CMakeLists.txt EXCLUDE)

# Projects to try, with their FMUs.
foreach(name math003 lotka_volterra)
    file(READ examples/${name}/${name}.ssd text)
    string(REPLACE "../../build/fmus/" "../fmus/" text "${text}")
    file(WRITE ${GENERATED}/examples/${name}/${name}.ssd "${text}")
endforeach()
install(DIRECTORY ${GENERATED}/examples DESTINATION ${CMAKE_INSTALL_DATADIR}/takt)
foreach(name Gain LotkaVolterraPrey LotkaVolterraPredator Math003Part1 Math003Part2 Math003Part3)
    install(FILES ${CMAKE_BINARY_DIR}/fmus/${name}.fmu DESTINATION ${CMAKE_INSTALL_DATADIR}/takt/examples/fmus)
endforeach()
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/takt RENAME copyright)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME takt)
set(CPACK_PACKAGE_CONTACT "The Takt authors <takt@example.org>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS python3)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${CMAKE_SOURCE_DIR}/packaging/triggers)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "python3-numpy, python3-pandas, cmake")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "Couples simulators (FMUs) of several tools, of FMI 1.0, 2.0 and 3.0,\n and steps them through time together. The program, the library with its\n headers, the FMU kit and the Python package.")
include(CPack)
