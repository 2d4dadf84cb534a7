# SPDX-License-Identifier: MIT
"""Systems: projects read from files or built in code, and what is known about them."""
from __future__ import annotations

import os
import threading
import warnings
import weakref
from ctypes import byref, c_int, c_void_p
from typing import Any, Callable, Mapping, NamedTuple, Optional, Sequence, Union

from . import _native as n
from ._arrays import Path, Value
from ._run import Result, Run, to_text

Callback = Callable[[float, "dict[str, Any]"], Any]


class Problem(NamedTuple):
    """One problem that was found."""

    severity: str  # "error", "warn", ...
    file: Optional[str]
    line: Optional[int]
    component: Optional[str]
    message: str
    suggestion: Optional[str]
    doubt: bool  # results may be wrong


class Connection(NamedTuple):
    """Two variables, "Tank.level" and "Control.u"."""

    source: str
    target: str


class Variable(NamedTuple):
    """A variable of a component, in the words of FMI 3.0."""

    name: str
    type: str
    causality: str
    variability: str
    unit: Optional[str]
    description: Optional[str]
    start: Union[float, int, bool, None]
    min: float
    max: float
    nominal: float
    shape: "tuple[int, ...]"  # () unless it is an element of an array
    tunable: bool
    connected: bool


class Block(NamedTuple):
    """Components that are stepped together: one, or a loop."""

    members: "list[str]"
    algorithm: str
    level: int
    is_loop: bool
    is_algebraic: bool


class Setting(NamedTuple):
    """A setting, as the command line has it."""

    name: str
    argument: Optional[str]
    default: Optional[str]
    help: str


def settings() -> list[Setting]:
    """All settings: what run(), simulate() and System.set_options() take, with '_' for '-'."""
    found = []
    while n.setting(len(found)):
        info = n.setting(len(found)).contents
        found.append(Setting(n.text(info.name), n.text(info.argument), n.text(info.default_text), n.text(info.help)))
    return found


class _Shared:
    """The messages of the library: problems become part of exceptions, warnings become warnings."""

    def __init__(self):
        self.handle = n.problem_list_create(n.LEVELS.index("warn"))
        if not self.handle:
            raise MemoryError
        self.log = n.problem_list_log(self.handle)
        self._n_told = self.n_read = 0  # problems told as warnings; those of reading the project, which all failures have
        self._lock = threading.Lock()

    def __del__(self):
        if getattr(self, "handle", None):
            n.problem_list_destroy(self.handle)

    def keep(self, user):
        """What the library made for `user` writes to the log until `release(user)`: in a circle, the garbage collector ends objects in any order."""
        n.in_use[id(user)] = self

    @staticmethod
    def release(user):
        n.in_use.pop(id(user), None)

    def problems(self, first=0):
        found = []
        for i in range(first, n.problem_list_count(self.handle)):
            info = n.ProblemInfo()
            n.problem_list_get(self.handle, i, byref(info))
            found.append((n.text(info.text), Problem(n.LEVELS[info.severity], n.text(info.file), info.line or None,
                                                     n.text(info.component), n.text(info.message),
                                                     n.text(info.suggestion), bool(info.is_doubt))))
        return found

    def call(self, function, *arguments):
        """Calls the library; a failure has all problems that were found."""
        first = n.problem_list_count(self.handle)
        try:
            function(*arguments)
        except n.TaktError as error:
            found = self.problems()[:self.n_read] + self.problems(max(first, self.n_read))
            self.tell_warnings()
            errors = [(text, problem) for text, problem in found if problem.severity == "error"]
            lines = [str(error)] + [_line(text, problem) for text, problem in errors]
            failure = type(error)("\n  ".join(lines))
            failure.problems = [problem for _, problem in errors]
            raise failure from None
        self.tell_warnings()

    def tell_warnings(self):
        with self._lock:
            first, self._n_told = self._n_told, n.problem_list_count(self.handle)
        told = [_line(text, problem) for text, problem in self.problems(first) if problem.severity == "warn"]
        for text in told:
            warnings.warn(text, n.TaktWarning, stacklevel=5)
        return told


def _line(text, problem):
    if not problem.file:
        return text
    return f"{problem.file}:{problem.line}: {text}" if problem.line else f"{problem.file}: {text}"


class System:
    """A system of components: read from a project or FMU (`System("plant.ssp")`), or empty, to be built.

    Problems that the library finds are exceptions with a list `problems`; what it warns of are Python warnings (TaktWarning).
    """

    def __init__(self, path: Optional[Path] = None, *, name: str = "system", variant: Optional[str] = None) -> None:
        self._project = self._system = None
        self._shared = _Shared()
        self._shared.keep(self)
        self._runs = weakref.WeakSet()
        handle = c_void_p()
        if path is None:
            self._shared.call(n.project_create, n.encode(f"{name}.ssd"), self._shared.log, byref(handle))
        else:
            self._shared.call(n.project_open_variant, n.encode(path), None if variant is None else n.encode(variant),
                              self._shared.log, byref(handle))
        self._project = handle
        self._shared.n_read = n.problem_list_count(self._shared.handle)

    def __del__(self):
        if getattr(self, "_system", None):
            n.system_destroy(self._system)
        if getattr(self, "_project", None):
            n.project_close(self._project)
        _Shared.release(self)

    @property
    def name(self) -> str:
        """The project's name."""
        return n.text(n.project_name(self._project))

    # ---- content -----------------------------------------------------------------------------------

    def _change(self, function, *arguments):
        if any(run._run for run in self._runs):
            raise n.UsageError("a run of the system is going on; close it before the system is changed")
        if self._system:  # it was looked at
            n.system_destroy(self._system)
            self._system = None
        self._shared.call(function, self._project, *arguments)

    def add(self, name: str, source: Path) -> System:
        """Adds a component: an FMU, a table (.csv), or a function ("builtin:sum?inputs=3")."""
        self._change(n.project_add, n.encode(name), n.encode(source))
        return self

    def remove(self, name: str) -> System:
        """Removes a component with its connections and values."""
        self._change(n.project_remove, n.encode(name))
        return self

    def rename(self, name: str, new_name: str) -> System:
        """Gives a component another name."""
        self._change(n.project_rename, n.encode(name), n.encode(new_name))
        return self

    def connect(self, source: str, target: str) -> System:
        """Connects two variables, "Tank.level" and "Control.u"."""
        self._change(n.project_connect, n.encode(source), n.encode(target))
        return self

    def disconnect(self, source: str, target: Optional[str] = None) -> System:
        """Removes a connection, or all of a variable."""
        self._change(n.project_disconnect, n.encode(source), None if target is None else n.encode(target))
        return self

    def auto_connect(self) -> list[Connection]:
        """Connects open inputs with outputs of the same name and unit, where there is exactly one. Returns what was connected."""
        count = c_int()
        self._change(n.project_auto_connect, byref(count))
        return self.connections[len(self.connections) - count.value:]

    def set(self, values: Optional[Mapping[str, Value]] = None, **more: Value) -> System:
        """Start values: `set({"Tank.level": 0.2})`. Texts may have a unit: "10 cm"."""
        for name, value in {**(values or {}), **more}.items():
            self._change(n.project_set_value, n.encode(f"{name}={to_text(value)}"))
        return self

    def unset(self, name: str) -> System:
        """Takes back the value that the project gives to a variable."""
        self._change(n.project_unset_value, n.encode(name))
        return self

    def set_options(self, **options: Any) -> System:
        """Settings, as the command line has them: `set_options(step_size=0.1, algorithm="newton")`; see takt.settings()."""
        for name, value in _settings(options):
            self._change(n.project_set, n.encode(name), n.encode(to_text(value)))
        return self

    def option(self, name: str) -> str:
        """The text that the project has for a setting; "" if it has none."""
        found = c_void_p()
        n.project_get(self._project, n.encode(name.replace("_", "-")), byref(found))
        return n.take_text(found)

    @property
    def components(self) -> dict[str, Optional[str]]:
        """Names and sources."""
        found = {}
        for i in range(n.project_count_components(self._project)):
            info = n.ComponentInfo()
            n.project_get_component(self._project, i, byref(info))
            found[n.text(info.name)] = n.text(info.source)
        return found

    @property
    def connections(self) -> list[Connection]:
        """Pairs of variables, as they were written."""
        found = []
        for i in range(n.project_count_connections(self._project)):
            info = n.ConnectionInfo()
            n.project_get_connection(self._project, i, byref(info))
            found.append(Connection(n.text(info.from_component) + "." + n.text(info.from_variable),
                                    n.text(info.to_component) + "." + n.text(info.to_variable)))
        return found

    def save(self, path: Path) -> System:
        """Writes the project: .ssd, .ssp, or a folder whose name ends in '/'."""
        self._shared.call(n.project_write, self._project, n.encode(path))
        return self

    # ---- what it means -----------------------------------------------------------------------------

    def check(self) -> list[Problem]:
        """All problems, as a list; running no code of FMUs."""
        first = n.problem_list_count(self._shared.handle)
        try:
            n.project_check(self._project)
        except (n.InputError, n.UsageError):
            pass  # they are in the list
        self._shared._n_told = n.problem_list_count(self._shared.handle)
        return [problem for _, problem in self._shared.problems(first)]

    def _open(self):
        if not self._system:
            handle = c_void_p()
            self._shared.call(n.system_create, self._project, byref(handle))
            self._system = handle
        return self._system

    def variables(self, component: str) -> list[Variable]:
        """The variables of a component."""
        system = self._open()
        index = n.system_find_component(system, n.encode(component))
        if index < 0:
            raise n.UsageError(f"there is no component '{component}'")
        found = []
        for i in range(n.system_count_variables(system, index)):
            info = n.VariableInfo()
            n.system_get_variable(system, index, i, byref(info))
            found.append(_variable(info))
        return found

    def blocks(self) -> list[Block]:
        """In which order components are called, and which form loops."""
        sequence = c_void_p()
        n.sequence_create(self._open(), 0, byref(sequence))
        found = []
        for i in range(n.sequence_count_blocks(sequence)):
            info = n.BlockInfo()
            n.sequence_get_block(sequence, i, byref(info))
            members = [n.text(info.members[k]) for k in range(info.n_members)]
            found.append(Block(members, n.text(info.algorithm), info.level, bool(info.is_loop), bool(info.is_algebraic)))
        n.sequence_destroy(sequence)
        return found

    def run(self, *, set: Optional[Mapping[str, Value]] = None, record: Union[bool, str, Sequence[str]] = True,
            output: Optional[Path] = None, callback: Optional[Callback] = None, resume: Union[bytes, Path, None] = None,
            **options: Any) -> Run:
        """Begins a simulation at its start time. Several runs of a system may follow each other, or go on side by side.

        `set`: start values; `record`: keep all rows in memory, as `run.result`, or patterns of variables ("Tank.*") whose rows
        are kept; `output`: a file for results; `callback`: called with time and values of every row, may return False to stop;
        `resume`: the bytes of Run.serialize(), or the file of a checkpoint, from which it goes on; other options are settings
        (see takt.settings()). All of that is for this run alone.
        """
        if isinstance(record, str):
            record = [record]
        if not isinstance(record, bool):
            options["record"], record = record, True
        self._open()
        return Run(self, _settings(options), set or {}, record, output, callback, resume)


def _settings(options):
    """Pairs of names, as the library has them, and values; those that are None are left out."""
    return [(name.replace("_", "-"), one) for name, value in options.items() if value is not None
            for one in (value if isinstance(value, (list, tuple)) else [value])]


_REALS = ("Float64", "Float32")
_TEXTS = ("String", "Binary")


def _variable(info):
    kind = n.text(n.type_name(info.type))
    start = None
    if info.has_start and kind in _REALS:
        start = info.start_real
    elif info.has_start and kind == "Boolean":
        start = bool(info.start_integer)
    elif info.has_start and kind not in _TEXTS:
        start = info.start_integer
    shape = tuple(info.dimensions[k] for k in range(info.n_dimensions))
    return Variable(n.text(info.name), kind, n.text(n.causality_name(info.causality)),
                    n.text(n.variability_name(info.variability)), n.text(info.unit), n.text(info.description), start,
                    info.min, info.max, info.nominal, shape, bool(info.is_tunable), bool(info.is_connected))


def simulate(path: Union[Path, System], *, start_time: Optional[float] = None, stop_time: Union[float, str, None] = None,
             step_size: Union[float, str, None] = None, tolerance: Optional[float] = None,
             set: Optional[Mapping[str, Value]] = None, record: Union[str, Sequence[str], None] = None,
             output: Optional[Path] = None, callback: Optional[Callback] = None, variant: Optional[str] = None,
             **options: Any) -> Result:
    """Simulates a project, an FMU, or a System to its end, and returns the Result.

    `set`: start values, `{"Tank.level": 0.2}`; `record`: patterns of variables ("Tank.*"), instead of all outputs; `output`: a file
    for the results as well; other options are settings of the command line, with '_' for '-': `algorithm="newton"`. A System is not
    changed by any of them.
    """
    options.update(start_time=start_time, stop_time=stop_time, step_size=step_size, tolerance=tolerance)
    if path is None:
        raise n.UsageError("there is nothing to simulate: path is None")
    if isinstance(path, System):
        system = path
    else:
        system, options = System(path, variant=variant).set_options(**options), {}
    with system.run(set=set, record=True if record is None else record, output=output, callback=callback, **options) as run:
        return run.finish()
