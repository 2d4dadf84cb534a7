# The FMU kit for CMake: one function that turns C files into FMUs.
#
#   include(<takt>/kit/cmake/FmuKit.cmake)
#   takt_add_fmu(NAME Tank SOURCES tank.c VERSIONS 2 3)   # -> <build>/fmus/Tank.fmu and Tank_fmi3.fmu
#
#   NAME       name of the FMU; must be the name in the author's fmukit_model
#   SOURCES    C files
#   VERSIONS   versions of FMI: 1, 1me, 2, 3 (optional; 2). FMI 2.0 gives <NAME>.fmu, the others
#              <NAME>_fmi1.fmu, <NAME>_fmi1me.fmu (model exchange) and <NAME>_fmi3.fmu
#   LIBRARIES  libraries to link with (optional)
#   INCLUDES   include directories (optional)
#   RESOURCES  folder whose content becomes the FMU's folder `resources` (optional)
#   OUTPUT     folder for the FMU (optional; <build>/fmus)
#   PLATFORMS  linux64, win64, or both: what the FMU has libraries for (optional; FMUKIT_PLATFORMS, else this system). A library
#              for Windows is compiled on Linux by mingw-w64 (Debian: gcc-mingw-w64-x86-64), from SOURCES and INCLUDES alone
#   SOLVER     links the implicit integrator (fmukit/solver.h), which needs SUNDIALS: FMUKIT_SUNDIALS is the folder
#              with its include/ and lib/ (default: that of the system)
#
# Targets: <NAME>_fmu builds the FMU of FMI 2.0, <NAME>_fmi1_fmu and so on the others; all are
# in `all`. Unpacked FMUs stay in <OUTPUT>.unpacked/<NAME>, .../<NAME>_fmi3, where debuggers and tests
# find them.
cmake_minimum_required(VERSION 3.20)

# How all objects of FMUs are compiled.
function(fmukit_set_up_objects target)
    set_target_properties(${target} PROPERTIES C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden
                          POSITION_INDEPENDENT_CODE ON)
endfunction()

# The same for files of the kit itself.
function(fmukit_set_up_own target)
    fmukit_set_up_objects(${target})
    target_link_libraries(${target} PUBLIC fmukit_inside)
    set_target_properties(${target} PROPERTIES C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
endfunction()

# What all FMUs share is compiled once: the runtime, and the generator of modelDescription.xml.
function(fmukit_add_common)
    if(TARGET fmukit_runtime)
        return()
    endif()
    get_filename_component(kit "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/.." ABSOLUTE)
    # In the repository the declarations of FMI lie beside the kit, in an installation inside it.
    set(fmi ${kit}/include)
    if(NOT EXISTS ${fmi}/fmi/fmi2.h)
        get_filename_component(fmi ${kit}/../include ABSOLUTE)
    endif()

    add_library(fmukit INTERFACE)
    target_include_directories(fmukit INTERFACE ${kit}/include)
    target_link_libraries(fmukit INTERFACE m)
    add_library(fmukit_inside INTERFACE)
    target_include_directories(fmukit_inside INTERFACE ${fmi} ${kit}/src)
    target_link_libraries(fmukit_inside INTERFACE fmukit)

    set(core continuous.c copies.c core.c dependencies.c derivatives.c event.c inputs.c integrate.c log.c model.c results.c
        shapes.c snapshot.c stream.c values.c)
    set(description check.c describe.c describe_fmi1.c describe_fmi2.c describe_fmi3.c)
    list(TRANSFORM core PREPEND ${kit}/src/)
    list(TRANSFORM description PREPEND ${kit}/src/)
    add_library(fmukit_runtime OBJECT ${core})
    add_library(fmukit_interface OBJECT ${kit}/src/model_exchange.c ${kit}/src/interface.c)
    add_library(fmukit_fmi2 OBJECT ${kit}/src/fmi2.c)
    add_library(fmukit_fmi3 OBJECT ${kit}/src/fmi3.c ${kit}/src/fmi3_others.c)
    add_library(fmukit_description OBJECT ${description})
    add_library(fmukit_generator OBJECT ${kit}/src/generate.c)
    foreach(target fmukit_runtime fmukit_interface fmukit_fmi2 fmukit_fmi3 fmukit_description fmukit_generator)
        fmukit_set_up_own(${target})
    endforeach()
endfunction()

# A copy of a static library, whose memory comes from functions of ours: malloc() is <prefix>_malloc(), and so on. Where that
# cannot be made, the library as it is.
function(fmukit_copy_library library prefix folder result)
    set(${result} ${library} PARENT_SCOPE)
    if(NOT CMAKE_OBJCOPY OR NOT library MATCHES "[.]a$")
        return()
    endif()
    get_filename_component(name ${library} NAME)
    set(copy ${folder}/${name})
    if(NOT EXISTS ${copy} OR ${library} IS_NEWER_THAN ${copy})
        file(MAKE_DIRECTORY ${folder})
        set(names)
        foreach(function malloc calloc realloc free)
            list(APPEND names --redefine-sym ${function}=${prefix}_${function})
        endforeach()
        execute_process(COMMAND ${CMAKE_OBJCOPY} ${names} ${library} ${copy} COMMAND_ERROR_IS_FATAL ANY)
    endif()
    set(${result} ${copy} PARENT_SCOPE)
endfunction()

# The implicit integrator, for FMUs that ask for it: compiled once, with the static libraries of SUNDIALS.
function(fmukit_add_solver)
    if(TARGET fmukit_solver)
        return()
    endif()
    get_filename_component(kit "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/.." ABSOLUTE)
    set(places ${FMUKIT_SUNDIALS})
    find_path(FMUKIT_SUNDIALS_INCLUDE arkode/arkode_arkstep.h HINTS ${places}/include)
    set(libraries)
    foreach(name arkode nvecserial sunlinsoldense sunlinsolband sunlinsolspgmr sunmatrixdense sunmatrixband
            sunnonlinsolnewton sunnonlinsolfixedpoint generic)
        find_library(FMUKIT_SUNDIALS_${name} NAMES libsundials_${name}.a sundials_${name}
                     HINTS ${places}/lib/${CMAKE_LIBRARY_ARCHITECTURE} ${places}/lib/x86_64-linux-gnu ${places}/lib)
        if(NOT FMUKIT_SUNDIALS_INCLUDE OR NOT FMUKIT_SUNDIALS_${name})
            message(FATAL_ERROR "takt_add_fmu(... SOLVER) needs SUNDIALS 6 (Debian: libsundials-dev); set FMUKIT_SUNDIALS to "
                                "the folder with its include/ and lib/. Missing: ${name}")
        endif()
        # SUNDIALS does not bear failed allocations: solver_memory.c does it for it.
        fmukit_copy_library(${FMUKIT_SUNDIALS_${name}} fmukit_sundials ${CMAKE_BINARY_DIR}/fmukit/sundials copy)
        list(APPEND libraries ${copy})
    endforeach()
    add_library(fmukit_solver STATIC ${kit}/src/solver.c ${kit}/src/solver_memory.c ${kit}/src/implicit.c ${kit}/src/vector.c)
    find_package(Threads REQUIRED)
    fmukit_set_up_own(fmukit_solver)
    target_include_directories(fmukit_solver SYSTEM PRIVATE ${FMUKIT_SUNDIALS_INCLUDE})
    target_link_libraries(fmukit_solver PUBLIC ${libraries} Threads::Threads m)
endfunction()

# FMI's name for the platform, e.g. linux64, or from FMI 3.0 on x86_64-linux.
function(fmukit_platform version result)
    math(EXPR bits "8 * ${CMAKE_SIZEOF_VOID_P}")
    if(NOT CMAKE_SYSTEM_NAME MATCHES "^(Linux|Darwin)$")
        message(FATAL_ERROR "The FMU kit does not know the platform ${CMAKE_SYSTEM_NAME}.")
    endif()
    string(TOLOWER ${CMAKE_SYSTEM_NAME} system)
    set(platform ${system}${bits})
    if(version EQUAL 3)
        string(REPLACE "amd64" "x86_64" processor ${CMAKE_SYSTEM_PROCESSOR})
        string(REPLACE "arm64" "aarch64" processor ${processor})
        set(platform ${processor}-${system})
    endif()
    set(${result} ${platform} PARENT_SCOPE)
endfunction()

# The library of an FMU. The author's objects exist already.
function(fmukit_add_library full_name name version folder libraries)
    fmukit_platform(${version} platform)
    if(version MATCHES "^1") # the names of its functions begin with the FMU's name
        get_filename_component(kit "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/.." ABSOLUTE)
        add_library(${full_name}_fmu_interface OBJECT ${kit}/src/fmi1.c)
        fmukit_set_up_own(${full_name}_fmu_interface)
        target_compile_definitions(${full_name}_fmu_interface PRIVATE FMUKIT_PREFIX=${name}_)
        set(interface ${full_name}_fmu_interface)
    else()
        set(interface fmukit_fmi${version})
    endif()
    set(target ${full_name}_fmu_library)
    add_library(${target} MODULE $<TARGET_OBJECTS:${name}_fmu_objects> $<TARGET_OBJECTS:fmukit_runtime>
                $<TARGET_OBJECTS:fmukit_interface> $<TARGET_OBJECTS:${interface}>)
    target_link_libraries(${target} PRIVATE fmukit ${libraries})
    set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME ${name} LINKER_LANGUAGE C
                          LIBRARY_OUTPUT_DIRECTORY ${folder}/binaries/${platform})
    if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
        # Only functions of FMI are visible, whatever the author's files and libraries bring along.
        string(REPLACE "me" "" number ${version})
        set(map ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/fmi${number}.map)
        target_link_options(${target} PRIVATE -Xlinker --version-script=${map}) # not -Wl: paths may have commas
        set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${map})
    endif()
endfunction()

# ---- Windows, from Linux ---------------------------------------------------------------------------
# One object for Windows. CMake knows one compiler per language, so this one is called by hand.
function(fmukit_windows_object source object includes definitions)
    get_filename_component(source ${source} ABSOLUTE)
    get_filename_component(folder ${object} DIRECTORY)
    file(MAKE_DIRECTORY ${folder})
    set(compiler ${FMUKIT_MINGW} -std=gnu99)
    if(source MATCHES "\\.(cpp|cc|cxx)$")
        string(REGEX REPLACE "gcc$" "g++" compiler ${FMUKIT_MINGW})
    endif()
    set(flags)
    foreach(include ${includes})
        get_filename_component(include ${include} ABSOLUTE)
        list(APPEND flags -I${include})
    endforeach()
    foreach(definition ${definitions})
        list(APPEND flags -D${definition})
    endforeach()
    add_custom_command(OUTPUT ${object}
                       COMMAND ${compiler} -O2 -ffp-contract=off ${flags} -MD -MT ${object} -MF ${object}.d
                               -c ${source} -o ${object}
                       DEPENDS ${source} DEPFILE ${object}.d COMMENT "Compiling ${object}" VERBATIM)
endfunction()

# The parts of the kit that all FMUs for Windows share, once.
function(fmukit_add_windows_common)
    if(TARGET fmukit_windows)
        return()
    endif()
    find_program(FMUKIT_MINGW x86_64-w64-mingw32-gcc)
    if(NOT FMUKIT_MINGW)
        message(FATAL_ERROR "takt_add_fmu(... PLATFORMS win64) needs mingw-w64 (Debian: gcc-mingw-w64-x86-64)")
    endif()
    get_filename_component(kit "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/.." ABSOLUTE)
    get_target_property(includes fmukit_inside INTERFACE_INCLUDE_DIRECTORIES)
    set(shared)
    foreach(target fmukit_runtime fmukit_interface fmukit_fmi2 fmukit_fmi3)
        get_target_property(sources ${target} SOURCES)
        set(objects)
        foreach(source ${sources})
            get_filename_component(name ${source} NAME)
            set(object ${CMAKE_BINARY_DIR}/fmukit/win64/${name}.o)
            fmukit_windows_object(${source} ${object} "${kit}/include;${includes}" "")
            list(APPEND objects ${object})
        endforeach()
        list(APPEND shared ${objects})
        set_property(GLOBAL PROPERTY FMUKIT_WINDOWS_${target} ${objects})
    endforeach()
    set_property(GLOBAL PROPERTY FMUKIT_WINDOWS_INCLUDES "${kit}/include;${includes}")
    add_custom_target(fmukit_windows DEPENDS ${shared})
endfunction()

# The DLL of an FMU; `objects` are the author's.
function(fmukit_add_dll full_name name version folder objects)
    set(platform win64)
    if(version EQUAL 3)
        set(platform x86_64-windows)
    endif()
    get_filename_component(kit "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/.." ABSOLUTE)
    foreach(part fmukit_runtime fmukit_interface)
        get_property(more GLOBAL PROPERTY FMUKIT_WINDOWS_${part})
        list(APPEND objects ${more})
    endforeach()
    if(version MATCHES "^1")
        get_property(includes GLOBAL PROPERTY FMUKIT_WINDOWS_INCLUDES)
        set(object ${CMAKE_BINARY_DIR}/fmukit/win64/${full_name}/fmi1.c.o)
        fmukit_windows_object(${kit}/src/fmi1.c ${object} "${includes}" "FMUKIT_PREFIX=${name}_")
        list(APPEND objects ${object})
    else()
        get_property(more GLOBAL PROPERTY FMUKIT_WINDOWS_fmukit_fmi${version})
        list(APPEND objects ${more})
    endif()
    set(dll ${folder}/binaries/${platform}/${name}.dll)
    file(MAKE_DIRECTORY ${folder}/binaries/${platform})
    string(REGEX REPLACE "gcc$" "g++" linker ${FMUKIT_MINGW})
    if(NOT objects MATCHES "\\.(cpp|cc|cxx)\\.o")
        set(linker ${FMUKIT_MINGW})
    endif()
    # The compiler's own libraries become part of the DLL, which needs nothing but Windows.
    add_custom_command(OUTPUT ${dll} COMMAND ${linker} -shared -static -s ${objects} -lpthread -o ${dll}
                       DEPENDS ${objects} fmukit_windows COMMENT "Linking ${full_name} for Windows" VERBATIM)
    set(FMUKIT_DLL ${dll} PARENT_SCOPE)
endfunction()

# ---- FMUs --------------------------------------------------------------------------------------------
# The FMU of one version: library, description, archive. `objects` are those for Windows, if there are any; `is_native`: it has
# a library for this system.
function(fmukit_add_version name version output resources libraries is_native objects)
    set(full_name ${name})
    if(NOT version EQUAL 2)
        set(full_name ${name}_fmi${version})
    endif()
    set(folder ${output}.unpacked/${full_name})
    file(MAKE_DIRECTORY ${output} ${folder})
    set(binaries)
    if(is_native)
        fmukit_add_library(${full_name} ${name} ${version} ${folder} "${libraries}")
        set(binaries ${full_name}_fmu_library)
    endif()
    if(objects)
        fmukit_add_dll(${full_name} ${name} ${version} ${folder} "${objects}")
        list(APPEND binaries ${FMUKIT_DLL})
    endif()
    add_custom_command(OUTPUT ${folder}/modelDescription.xml
                       COMMAND ${name}_fmu_generator ${name} ${version} ${folder}/modelDescription.xml
                       DEPENDS ${name}_fmu_generator VERBATIM)

    set(content modelDescription.xml binaries)
    set(files)
    set(copy_resources)
    if(resources)
        file(GLOB_RECURSE files CONFIGURE_DEPENDS ${resources}/*)
        set(copy_resources COMMAND ${CMAKE_COMMAND} -E rm -rf resources
                           COMMAND ${CMAKE_COMMAND} -E copy_directory ${resources} resources)
        list(APPEND content resources)
    endif()
    add_custom_command(OUTPUT ${output}/${full_name}.fmu
                       ${copy_resources}
                       COMMAND ${CMAKE_COMMAND} -E tar cf ${output}/${full_name}.fmu --format=zip ${content}
                       DEPENDS ${folder}/modelDescription.xml ${binaries} ${files}
                       WORKING_DIRECTORY ${folder} COMMENT "FMU ${full_name}.fmu" VERBATIM)
    add_custom_target(${full_name}_fmu ALL DEPENDS ${output}/${full_name}.fmu)
endfunction()

# Of takt_add_fmu(): sets `is_native`, and `windows_objects`, the author's objects.
macro(fmukit_choose_platforms)
    set(wanted ${FMU_PLATFORMS})
    if(NOT wanted)
        set(wanted ${FMUKIT_PLATFORMS})
        if(FMU_SOLVER OR FMU_LIBRARIES) # there are no such libraries for Windows
            list(REMOVE_ITEM wanted win64)
        endif()
    endif()
    if(NOT wanted)
        fmukit_platform(2 wanted)
    endif()
    fmukit_platform(2 own)
    set(is_native FALSE)
    set(windows_objects)
    foreach(platform ${wanted})
        if(platform STREQUAL own)
            set(is_native TRUE)
        elseif(NOT platform STREQUAL win64)
            message(FATAL_ERROR "takt_add_fmu(NAME ${name}): PLATFORMS may be ${own} and win64, not ${platform}")
        elseif(FMU_SOLVER OR FMU_LIBRARIES)
            message(FATAL_ERROR "takt_add_fmu(NAME ${name}): SOLVER and LIBRARIES cannot be used with PLATFORMS win64")
        else()
            fmukit_add_windows_common()
            get_property(own_includes GLOBAL PROPERTY FMUKIT_WINDOWS_INCLUDES)
            foreach(source ${FMU_SOURCES})
                get_filename_component(file ${source} NAME)
                set(object ${CMAKE_BINARY_DIR}/fmukit/win64/${name}/${file}.o)
                fmukit_windows_object(${source} ${object} "${own_includes};${FMU_INCLUDES}" "")
                list(APPEND windows_objects ${object})
            endforeach()
        endif()
    endforeach()
endmacro()

function(takt_add_fmu)
    cmake_parse_arguments(FMU "SOLVER" "NAME;RESOURCES;OUTPUT" "SOURCES;VERSIONS;LIBRARIES;INCLUDES;PLATFORMS" ${ARGN})
    if(FMU_UNPARSED_ARGUMENTS OR NOT FMU_NAME OR NOT FMU_SOURCES)
        message(FATAL_ERROR "takt_add_fmu(NAME <name> SOURCES <file>...): ${FMU_UNPARSED_ARGUMENTS} makes no sense here")
    endif()
    if(NOT FMU_VERSIONS)
        set(FMU_VERSIONS 2)
    endif()
    if(NOT FMU_OUTPUT)
        set(FMU_OUTPUT ${CMAKE_BINARY_DIR}/fmus)
    endif()
    if(FMU_RESOURCES)
        get_filename_component(FMU_RESOURCES ${FMU_RESOURCES} ABSOLUTE)
    endif()
    fmukit_add_common()
    if(FMU_SOLVER)
        fmukit_add_solver()
        list(APPEND FMU_LIBRARIES fmukit_solver)
    endif()
    set(name ${FMU_NAME})
    fmukit_choose_platforms()

    # The author's files are compiled once and used in every library and in the generator.
    add_library(${name}_fmu_objects OBJECT ${FMU_SOURCES})
    target_include_directories(${name}_fmu_objects PRIVATE ${FMU_INCLUDES})
    target_link_libraries(${name}_fmu_objects PUBLIC fmukit ${FMU_LIBRARIES})
    fmukit_set_up_objects(${name}_fmu_objects)

    add_executable(${name}_fmu_generator $<TARGET_OBJECTS:${name}_fmu_objects> $<TARGET_OBJECTS:fmukit_runtime>
                   $<TARGET_OBJECTS:fmukit_description> $<TARGET_OBJECTS:fmukit_generator>)
    target_link_libraries(${name}_fmu_generator PRIVATE fmukit ${FMU_LIBRARIES})
    set_target_properties(${name}_fmu_generator PROPERTIES LINKER_LANGUAGE C
                          RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fmukit)

    foreach(version ${FMU_VERSIONS})
        if(NOT version MATCHES "^(1|1me|2|3)$")
            message(FATAL_ERROR "takt_add_fmu(NAME ${name}): VERSIONS are 1, 1me, 2 and 3, not '${version}'")
        endif()
        fmukit_add_version(${name} ${version} ${FMU_OUTPUT} "${FMU_RESOURCES}" "${FMU_LIBRARIES}" ${is_native}
                           "${windows_objects}")
    endforeach()
endfunction()
