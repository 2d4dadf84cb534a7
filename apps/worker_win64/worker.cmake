# The program takt-worker-win64.exe.so, in which FMUs for Windows run: built where winegcc is (Debian: wine64-tools, libwine-dev).
# It is the library with src/fmu compiled once more, so that FMUs are called as Windows does it, and a loader of its own.
set(TAKT_WINE AUTO CACHE STRING "Build the worker for Windows FMUs: ON, OFF, or AUTO (where winegcc is installed)")
find_program(TAKT_WINEGCC NAMES winegcc winegcc-stable winegcc-development)
if(NOT TAKT_WINE STREQUAL "AUTO" AND TAKT_WINE AND NOT TAKT_WINEGCC)
    message(FATAL_ERROR "TAKT_WINE=ON needs winegcc (Debian: wine64-tools libwine-dev)")
endif()
# Its processes cannot have sanitizers, which want the memory that Wine takes.
if(NOT TAKT_WINE OR NOT TAKT_WINEGCC OR TAKT_SANITIZE OR TAKT_COVERAGE OR NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    return()
endif()
# winegcc takes paths for words.
if("${CMAKE_SOURCE_DIR}${CMAKE_BINARY_DIR}" MATCHES "[^A-Za-z0-9_./+=@-]")
    message(STATUS "FMUs for Windows: winegcc cannot build in a folder with such a name, so takt-worker-win64 is left out")
    return()
endif()

set(WORKER_DEFINITIONS TAKT_FMU_IS_WINDOWS "TAKT_FMI_CALL=__attribute__((ms_abi))")
file(GLOB WORKER_FMU_SOURCES CONFIGURE_DEPENDS src/fmu/*.c)
list(FILTER WORKER_FMU_SOURCES EXCLUDE REGEX "/loader\\.c$")
add_library(takt_worker_win64_fmu OBJECT ${WORKER_FMU_SOURCES})
target_compile_definitions(takt_worker_win64_fmu PRIVATE ${WORKER_DEFINITIONS})
target_link_libraries(takt_worker_win64_fmu PRIVATE takt_usage)

set(WORKER_FLAGS -m64 -std=gnu17 -O2 -fPIC -Wall -Wextra -D_DEFAULT_SOURCE "-I${CMAKE_SOURCE_DIR}/include"
    "-I${CMAKE_SOURCE_DIR}/src" "-I${CMAKE_CURRENT_LIST_DIR}")
if(TAKT_WERROR)
    list(APPEND WORKER_FLAGS -Werror)
endif()
foreach(definition ${WORKER_DEFINITIONS})
    list(APPEND WORKER_FLAGS "-D${definition}")
endforeach()
set(WORKER_FOLDER ${CMAKE_BINARY_DIR}/worker_win64)
file(MAKE_DIRECTORY ${WORKER_FOLDER})
foreach(name main loader faults hook refusals)
    add_custom_command(OUTPUT ${WORKER_FOLDER}/${name}.o
                       COMMAND ${TAKT_WINEGCC} ${WORKER_FLAGS} -MD -MT worker_win64/${name}.o -MF ${WORKER_FOLDER}/${name}.d
                               -c ${CMAKE_CURRENT_LIST_DIR}/${name}.c -o ${WORKER_FOLDER}/${name}.o
                       DEPENDS ${CMAKE_CURRENT_LIST_DIR}/${name}.c DEPFILE ${WORKER_FOLDER}/${name}.d
                       COMMENT "Compiling takt-worker-win64: ${name}.c" VERBATIM)
    list(APPEND WORKER_OBJECTS ${WORKER_FOLDER}/${name}.o)
endforeach()

add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/takt-worker-win64.exe.so
                   COMMAND ${TAKT_WINEGCC} -m64 -mconsole -s ${WORKER_OBJECTS} $<TARGET_OBJECTS:takt_worker_win64_fmu>
                           $<TARGET_FILE:takt_static> ${SUNDIALS_LIBRARIES} ${LIBXML2_LINK_LIBRARIES} ${LIBZIP_LINK_LIBRARIES}
                           ${LIBCRYPTO_LINK_LIBRARIES} ${JANSSON_LINK_LIBRARIES} -Wl,-Bstatic -lstdc++ -Wl,-Bdynamic -lm
                           -o ${CMAKE_BINARY_DIR}/takt-worker-win64.exe.so
                   DEPENDS ${WORKER_OBJECTS} takt_static takt_worker_win64_fmu $<TARGET_OBJECTS:takt_worker_win64_fmu>
                   COMMENT "Linking takt-worker-win64.exe.so" COMMAND_EXPAND_LISTS VERBATIM)
add_custom_target(takt-worker-win64 ALL DEPENDS ${CMAKE_BINARY_DIR}/takt-worker-win64.exe.so)
