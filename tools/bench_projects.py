# SPDX-License-Identifier: MIT
"""Projects and FMUs of any size for the benchmarks."""
import math
import os
import zipfile

HEAD = ("<ssd:SystemStructureDescription version='1.0' name='bench' "
        "xmlns:ssd='http://ssp-standard.org/SSP1/SystemStructureDescription'>\n"
        "<ssd:System name='s'><ssd:Elements>\n")
TAIL = "</ssd:Connections></ssd:System></ssd:SystemStructureDescription>\n"


START = ("<ssd:Component name='c{i}' source='{source}'><ssd:ParameterBindings><ssd:ParameterBinding><ssd:ParameterValues>"
         "<ssv:ParameterSet version='1.0' name='start' xmlns:ssv='http://ssp-standard.org/SSP1/SystemStructureParameterValues'>"
         "<ssv:Parameters><ssv:Parameter name='{variable}'><ssv:Real value='{value!r}'/></ssv:Parameter></ssv:Parameters>"
         "</ssv:ParameterSet></ssd:ParameterValues></ssd:ParameterBinding></ssd:ParameterBindings></ssd:Component>\n")


def write_project(path, sources, connections, starts=None):
    """Writes components c0, c1, ... of the given sources; a connection is (from, output, to, input). `starts` has for each
    component a variable and its start value."""
    with open(path, "w", encoding="utf-8") as file:
        file.write(HEAD)
        for i, source in enumerate(sources):
            if starts:
                file.write(START.format(i=i, source=source, variable=starts[i][0], value=starts[i][1]))
            else:
                file.write(f"<ssd:Component name='c{i}' source='{source}'/>\n")
        file.write("</ssd:Elements><ssd:Connections>\n")
        for start, output, end, connector in connections:
            file.write(f"<ssd:Connection startElement='c{start}' startConnector='{output}' "
                       f"endElement='c{end}' endConnector='{connector}'/>\n")
        file.write(TAIL)
    return path


def write_ring(path, sources):
    """Every component's y is connected with the u of the next one."""
    n = len(sources)
    return write_project(path, sources, [(i, "y", (i + 1) % n, "u") for i in range(n)])


def write_lags(path, lag, n, is_ring):
    """A chain or a ring of lags that all move."""
    starts = [("x", round(1.5 + math.sin(1.7 * i), 3)) for i in range(n)]
    return write_project(path, [lag] * n, [(i, "x", (i + 1) % n, "u") for i in range(n if is_ring else n - 1)], starts)


def write_msim_ring(path, fmu, n):
    """The same as a project of MasterSim, with a parameter for each component."""
    with open(path, "w", encoding="utf-8") as file:
        file.write("tEnd 1 s\n")
        for i in range(n):
            file.write(f'simulator {i} 0 c{i} #447cb4 "{fmu}"\ngraph c{i}.y c{(i + 1) % n}.u\nparameter c{i}.k 2\n')
    return path


def write_pairs(path, prey, predator, n_pairs):
    """Pairs of Lotka-Volterra, each a loop of its own."""
    connections = []
    for i in range(0, 2 * n_pairs, 2):
        connections += [(i, "x", i + 1, "x"), (i + 1, "y", i, "y")]
    return write_project(path, [prey, predator] * n_pairs, connections)


def copy_fmu(source, folder, n):
    """n FMUs that differ in one file; returns their paths."""
    os.makedirs(folder, exist_ok=True)
    with zipfile.ZipFile(source) as archive:
        content = [(name, archive.read(name)) for name in archive.namelist() if not name.endswith("/")]
    paths = [os.path.join(folder, f"copy{i}.fmu") for i in range(n)]
    for i, path in enumerate(paths):
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for name, data in content:
                archive.writestr(name, data)
            archive.writestr("resources/number.txt", str(i))
    return paths


VARIABLE = {
    2: "<ScalarVariable name='part{i}.sensor[{k}].value' valueReference='{i}' description='Value number {i} of the "
       "plant' causality='local' variability='continuous'><Real unit='K' min='0' max='1000'/></ScalarVariable>\n",
    3: "<Float64 name='part{i}.sensor[{k}].value' valueReference='{i}' description='Value number {i} of the plant' "
       "causality='local' variability='continuous' unit='K' min='0' max='1000'/>\n",
}
DESCRIPTION = {
    2: ("<fmiModelDescription fmiVersion='2.0' modelName='Large' guid='g'><CoSimulation modelIdentifier='Large'/>"
        "<UnitDefinitions><Unit name='K'/></UnitDefinitions><ModelVariables>\n",
        "</ModelVariables><ModelStructure/></fmiModelDescription>\n"),
    3: ("<fmiModelDescription fmiVersion='3.0' modelName='Large' instantiationToken='g'>"
        "<CoSimulation modelIdentifier='Large'/>"
        "<UnitDefinitions><Unit name='K'/></UnitDefinitions><ModelVariables>\n"
        "<Float64 name='time' valueReference='4000000' causality='independent' variability='continuous'/>\n",
        "</ModelVariables><ModelStructure/></fmiModelDescription>\n"),
}


def write_large_fmu(path, fmi_major, n_variables):
    """An FMU without libraries and with many variables."""
    head, tail = DESCRIPTION[fmi_major]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        # Piece by piece: the memory of this process counts as that of the processes it starts.
        with archive.open("modelDescription.xml", "w") as file:
            file.write(head.encode())
            for i in range(n_variables):
                file.write(VARIABLE[fmi_major].format(i=i, k=i % 7).encode())
            file.write(tail.encode())
    return path
