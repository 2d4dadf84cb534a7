# The FMU kit for CMake: one function that turns C files into an FMU.
#
#   include(<takt>/kit/cmake/FmuKit.cmake)
#   takt_add_fmu(NAME Tank SOURCES tank.c)            # -> <build>/fmus/Tank.fmu
#
#   NAME       name of the FMU; must be the name in the author's fmukit_model
#   SOURCES    C files
#   LIBRARIES  libraries to link with (optional)
#   INCLUDES   include directories (optional)
#   RESOURCES  folder whose content becomes the FMU's folder `resources` (optional)
#   OUTPUT     folder for the FMU (optional; <build>/fmus)
#
# Targets: <NAME>_fmu builds the FMU and is part of `all`. The unpacked FMU stays in
# <OUTPUT>.unpacked/<NAME>, where debuggers and tests find it.
cmake_minimum_required(VERSION 3.20)

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

    set(core core.c log.c model.c snapshot.c stream.c values.c)
    list(TRANSFORM core PREPEND ${kit}/src/)
    add_library(fmukit_runtime OBJECT ${core})
    add_library(fmukit_fmi2 OBJECT ${kit}/src/fmi2.c)
    add_library(fmukit_description OBJECT ${kit}/src/check.c ${kit}/src/describe_fmi2.c)
    add_library(fmukit_generator OBJECT ${kit}/src/generate.c)
    foreach(target fmukit_runtime fmukit_fmi2 fmukit_description fmukit_generator)
        target_include_directories(${target} PUBLIC ${fmi} ${kit}/src)
        target_link_libraries(${target} PUBLIC fmukit)
        set_target_properties(${target} PROPERTIES C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF
                              C_VISIBILITY_PRESET hidden POSITION_INDEPENDENT_CODE ON)
    endforeach()
endfunction()

# FMI's name for the platform, e.g. linux64.
function(fmukit_platform result)
    math(EXPR bits "8 * ${CMAKE_SIZEOF_VOID_P}")
    if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
        set(${result} linux${bits} PARENT_SCOPE)
    elseif(CMAKE_SYSTEM_NAME STREQUAL "Darwin")
        set(${result} darwin${bits} PARENT_SCOPE)
    else()
        message(FATAL_ERROR "The FMU kit does not know the platform ${CMAKE_SYSTEM_NAME}.")
    endif()
endfunction()

function(takt_add_fmu)
    cmake_parse_arguments(FMU "" "NAME;RESOURCES;OUTPUT" "SOURCES;LIBRARIES;INCLUDES" ${ARGN})
    if(FMU_UNPARSED_ARGUMENTS OR NOT FMU_NAME OR NOT FMU_SOURCES)
        message(FATAL_ERROR "takt_add_fmu(NAME <name> SOURCES <file>...): ${FMU_UNPARSED_ARGUMENTS} makes no sense here")
    endif()
    if(NOT FMU_OUTPUT)
        set(FMU_OUTPUT ${CMAKE_BINARY_DIR}/fmus)
    endif()
    fmukit_add_common()
    fmukit_platform(platform)
    set(name ${FMU_NAME})
    set(folder ${FMU_OUTPUT}.unpacked/${name})

    # The author's files are compiled once and used twice: in the library and in the generator.
    add_library(${name}_fmu_objects OBJECT ${FMU_SOURCES})
    target_include_directories(${name}_fmu_objects PRIVATE ${FMU_INCLUDES})
    target_link_libraries(${name}_fmu_objects PUBLIC fmukit ${FMU_LIBRARIES})
    set_target_properties(${name}_fmu_objects PROPERTIES C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden
                          POSITION_INDEPENDENT_CODE ON)

    add_library(${name}_fmu_library MODULE $<TARGET_OBJECTS:${name}_fmu_objects>
                $<TARGET_OBJECTS:fmukit_runtime> $<TARGET_OBJECTS:fmukit_fmi2>)
    target_link_libraries(${name}_fmu_library PRIVATE fmukit ${FMU_LIBRARIES})
    set_target_properties(${name}_fmu_library PROPERTIES PREFIX "" OUTPUT_NAME ${name} LINKER_LANGUAGE C
                          LIBRARY_OUTPUT_DIRECTORY ${folder}/binaries/${platform})
    if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
        # Nothing but fmi2* is visible, whatever the author's files and libraries bring along.
        set(map ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/fmi2.map)
        target_link_options(${name}_fmu_library PRIVATE -Wl,--version-script=${map})
        set_property(TARGET ${name}_fmu_library APPEND PROPERTY LINK_DEPENDS ${map})
    endif()

    add_executable(${name}_fmu_generator $<TARGET_OBJECTS:${name}_fmu_objects> $<TARGET_OBJECTS:fmukit_runtime>
                   $<TARGET_OBJECTS:fmukit_description> $<TARGET_OBJECTS:fmukit_generator>)
    target_link_libraries(${name}_fmu_generator PRIVATE fmukit ${FMU_LIBRARIES})
    set_target_properties(${name}_fmu_generator PROPERTIES LINKER_LANGUAGE C
                          RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fmukit)
    add_custom_command(OUTPUT ${folder}/modelDescription.xml
                       COMMAND ${name}_fmu_generator ${name} ${folder}/modelDescription.xml
                       DEPENDS ${name}_fmu_generator VERBATIM)

    set(content modelDescription.xml binaries)
    set(resources)
    set(copy_resources)
    if(FMU_RESOURCES)
        get_filename_component(source ${FMU_RESOURCES} ABSOLUTE)
        file(GLOB_RECURSE resources CONFIGURE_DEPENDS ${source}/*)
        set(copy_resources COMMAND ${CMAKE_COMMAND} -E rm -rf resources
                           COMMAND ${CMAKE_COMMAND} -E copy_directory ${source} resources)
        list(APPEND content resources)
    endif()
    file(MAKE_DIRECTORY ${FMU_OUTPUT} ${folder})
    add_custom_command(OUTPUT ${FMU_OUTPUT}/${name}.fmu
                       ${copy_resources}
                       COMMAND ${CMAKE_COMMAND} -E tar cf ${FMU_OUTPUT}/${name}.fmu --format=zip ${content}
                       DEPENDS ${folder}/modelDescription.xml ${name}_fmu_library ${resources}
                       WORKING_DIRECTORY ${folder} COMMENT "FMU ${name}.fmu" VERBATIM)
    add_custom_target(${name}_fmu ALL DEPENDS ${FMU_OUTPUT}/${name}.fmu)
endfunction()
