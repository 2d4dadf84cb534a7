# SPDX-License-Identifier: MIT
"""The C library by ctypes: finding it, its structs and functions, and errors as exceptions."""
import ctypes
import ctypes.util
import os
import sys
from ctypes import (CFUNCTYPE, POINTER, byref, c_char_p, c_double, c_int, c_int64, c_longlong, c_size_t, c_void_p)

KIND_REAL, KIND_INTEGER, KIND_BYTES = range(3)
RUNNING, FINISHED, TERMINATED, CANCELLED = range(4)
LEVELS = ("error", "warn", "info", "debug", "trace")
in_use = {}  # by id(): what must not end before that object


class TaktError(Exception):
    """Something failed. `problems` has those of the project, one by one."""

    problems = ()


class SimulationError(TaktError):
    """The simulation failed."""


class UsageError(TaktError, ValueError):
    """A function was called with a wrong name, value, or at the wrong time."""


class InputError(TaktError):
    """A project, FMU or table is invalid."""


class OutputError(TaktError, OSError):
    """A result cannot be written."""


class FmuTimeoutError(TaktError, TimeoutError):
    """A call to an FMU did not return in time."""


class CrashError(TaktError):
    """An FMU crashed or ended the program."""


class TaktWarning(UserWarning):
    """What the library warns of, such as results that may be wrong."""


# By takt_status.
_EXCEPTIONS = (None, SimulationError, UsageError, InputError, OutputError, MemoryError, FmuTimeoutError, CrashError)


class Error(ctypes.Structure):
    _fields_ = [("status", c_int), ("message", ctypes.c_char * 2048)]


def _struct(name, fields):
    """A struct that begins with its size."""

    def init(self):
        ctypes.Structure.__init__(self)
        self.size = ctypes.sizeof(self)

    return type(name, (ctypes.Structure,), {"_fields_": [("size", c_size_t)] + fields, "__init__": init})


ComponentInfo = _struct("ComponentInfo", [("name", c_char_p), ("source", c_char_p), ("file", c_char_p), ("line", c_int)])
ConnectionInfo = _struct("ConnectionInfo", [
    ("from_component", c_char_p), ("from_variable", c_char_p), ("to_component", c_char_p), ("to_variable", c_char_p),
    ("file", c_char_p), ("line", c_int)])
ValueInfo = _struct("ValueInfo", [
    ("component", c_char_p), ("variable", c_char_p), ("value", c_char_p), ("unit", c_char_p), ("file", c_char_p),
    ("line", c_int)])
ProblemInfo = _struct("ProblemInfo", [
    ("severity", c_int), ("file", c_char_p), ("line", c_int), ("component", c_char_p), ("message", c_char_p),
    ("suggestion", c_char_p), ("text", c_char_p), ("is_doubt", c_int)])
ModelInfo = _struct("ModelInfo", [
    ("component", c_char_p), ("model", c_char_p), ("path", c_char_p), ("kind", c_char_p), ("version", c_char_p),
    ("tool", c_char_p), ("description", c_char_p), ("platforms", c_char_p), ("n_variables", c_int), ("can_rewind", c_int),
    ("can_serialize", c_int), ("takes_any_step", c_int), ("interpolates_inputs", c_int), ("has_events", c_int)])
VariableInfo = _struct("VariableInfo", [
    ("name", c_char_p), ("type", c_int), ("causality", c_int), ("variability", c_int), ("is_tunable", c_int),
    ("is_connected", c_int), ("unit", c_char_p), ("description", c_char_p), ("declared_type", c_char_p), ("min", c_double),
    ("max", c_double), ("nominal", c_double), ("has_start", c_int), ("start_real", c_double), ("start_integer", c_longlong),
    ("start_text", c_void_p), ("start_size", c_size_t), ("array", c_char_p), ("array_first", c_int), ("array_size", c_int),
    ("n_dimensions", c_int), ("dimensions", POINTER(c_int))])
BlockInfo = _struct("BlockInfo", [
    ("members", POINTER(c_char_p)), ("n_members", c_int), ("algorithm", c_char_p), ("torn", POINTER(c_char_p)),
    ("n_torn", c_int), ("level", c_int), ("is_loop", c_int), ("is_algebraic", c_int)])
ColumnInfo = _struct("ColumnInfo", [
    ("name", c_char_p), ("type", c_int), ("kind", c_int), ("index", c_int), ("causality", c_int), ("unit", c_char_p)])
ViewItem = _struct("ViewItem", [
    ("component", c_char_p), ("variable", c_char_p), ("type", c_int), ("kind", c_int), ("first", c_int), ("n", c_int),
    ("n_dimensions", c_int), ("dimensions", POINTER(c_int)), ("unit", c_char_p), ("is_settable", c_int)])


class SettingInfo(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("argument", c_char_p), ("default_text", c_char_p), ("help", c_char_p)]


class Row(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("time", c_double), ("reals", POINTER(c_double)), ("integers", POINTER(c_int64)),
                ("bytes", POINTER(c_void_p)), ("sizes", POINTER(c_size_t))]


class Assignment(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("value", c_char_p)]


RunOptions = _struct("RunOptions", [
    ("start_time", c_double), ("stop_time", c_double), ("step_size", c_double), ("tolerance", c_double), ("step_min", c_double),
    ("step_max", c_double), ("output_interval", c_double), ("algorithm", c_int), ("step_control", c_int), ("iterations", c_int),
    ("jobs", c_int), ("is_strict", c_int), ("record", POINTER(c_char_p)), ("n_record", c_int), ("settings", POINTER(Assignment)),
    ("n_settings", c_int), ("values", POINTER(Assignment)), ("n_values", c_int), ("watch", c_void_p), ("results", c_char_p)])


RowFunction = CFUNCTYPE(c_int, c_void_p, POINTER(Row))


def _candidates():
    """Where the library may be: said by the user, in a build of the source tree, in the installation, anywhere."""
    given = os.environ.get("TAKT_LIBRARY")
    if given:
        yield given
        return
    here = os.path.dirname(os.path.abspath(__file__))
    yield os.path.join(here, "..", "..", "build", "libtakt.so")
    folder = here
    for _ in range(6):
        folder = os.path.dirname(folder)
        yield os.path.join(folder, "libtakt.so.1")
        for inside in (os.path.join("lib", f"{os.uname().machine}-linux-gnu"), "lib64", "lib"):
            yield os.path.join(folder, inside, "libtakt.so.1")
    yield "libtakt.so.1"


def _load():
    for path in _candidates():
        if os.sep in path and not os.path.exists(path):
            continue
        try:
            return ctypes.CDLL(path)
        except OSError as error:
            problem = error
    raise ImportError("libtakt.so is not found; build or install Takt, or say where it is with the environment variable "
                      "TAKT_LIBRARY") from (problem if "problem" in locals() else None)


lib = _load()


def _declare(name, result, *arguments):
    function = getattr(lib, name)
    function.restype = result
    function.argtypes = arguments
    return function


_P, _E = c_void_p, POINTER(Error)


def _call(name, *arguments):
    """A function that takes an error last and returns a status."""
    function = _declare(name, c_int, *arguments, _E)

    def call(*given):
        err = Error()
        status = function(*given, byref(err))
        if status:
            raise_error(status, err)

    call.__name__ = name
    return call


def raise_error(status, err):
    raise _EXCEPTIONS[status](text(err.message))


def text(value):
    """A text of the library; None stays None."""
    return None if value is None else value.decode("utf-8", "replace")


def encode(value):
    """A name or path for the library, which takes a 0 for its end."""
    data = os.fsencode(os.fspath(value))
    if b"\0" in data:
        raise UsageError(f"{value!r} has a character 0, which no name, path or text value may have")
    return data


version = _declare("takt_version", c_char_p)
free = _declare("takt_free", None, c_void_p)
setting = _declare("takt_setting", POINTER(SettingInfo), c_int)
type_name = _declare("takt_type_name", c_char_p, c_int)
causality_name = _declare("takt_causality_name", c_char_p, c_int)
variability_name = _declare("takt_variability_name", c_char_p, c_int)

problem_list_create = _declare("takt_problem_list_create", _P, c_int)
problem_list_destroy = _declare("takt_problem_list_destroy", None, _P)
problem_list_log = _declare("takt_problem_list_log", _P, _P)
problem_list_count = _declare("takt_problem_list_count", c_int, _P)
problem_list_get = _call("takt_problem_list_get", _P, c_int, POINTER(ProblemInfo))
problem_list_clear = _declare("takt_problem_list_clear", None, _P)

project_create = _call("takt_project_create", c_char_p, _P, POINTER(_P))
project_open_variant = _call("takt_project_open_variant", c_char_p, c_char_p, _P, POINTER(_P))
project_close = _declare("takt_project_close", None, _P)
project_name = _declare("takt_project_name", c_char_p, _P)
project_set = _call("takt_project_set", _P, c_char_p, c_char_p)
project_get = _call("takt_project_get", _P, c_char_p, POINTER(_P))
project_set_value = _call("takt_project_set_value", _P, c_char_p)
project_unset_value = _call("takt_project_unset_value", _P, c_char_p)
project_write = _call("takt_project_write", _P, c_char_p)
project_add = _call("takt_project_add", _P, c_char_p, c_char_p)
project_remove = _call("takt_project_remove", _P, c_char_p)
project_rename = _call("takt_project_rename", _P, c_char_p, c_char_p)
project_connect = _call("takt_project_connect", _P, c_char_p, c_char_p)
project_disconnect = _call("takt_project_disconnect", _P, c_char_p, c_char_p)
project_auto_connect = _call("takt_project_auto_connect", _P, POINTER(c_int))
project_check = _call("takt_project_check", _P)
project_count_components = _declare("takt_project_count_components", c_int, _P)
project_count_connections = _declare("takt_project_count_connections", c_int, _P)
project_count_values = _declare("takt_project_count_values", c_int, _P)
project_get_component = _call("takt_project_get_component", _P, c_int, POINTER(ComponentInfo))
project_get_connection = _call("takt_project_get_connection", _P, c_int, POINTER(ConnectionInfo))
project_get_value = _call("takt_project_get_value", _P, c_int, POINTER(ValueInfo))

system_create = _call("takt_system_create", _P, POINTER(_P))
system_destroy = _declare("takt_system_destroy", None, _P)
system_count_components = _declare("takt_system_count_components", c_int, _P)
system_count_variables = _declare("takt_system_count_variables", c_int, _P, c_int)
system_find_component = _declare("takt_system_find_component", c_int, _P, c_char_p)
system_get_model = _call("takt_system_get_model", _P, c_int, POINTER(ModelInfo))
system_get_variable = _call("takt_system_get_variable", _P, c_int, c_int, POINTER(VariableInfo))

sequence_create = _call("takt_sequence_create", _P, c_int, POINTER(_P))
sequence_destroy = _declare("takt_sequence_destroy", None, _P)
sequence_count_blocks = _declare("takt_sequence_count_blocks", c_int, _P)
sequence_get_block = _call("takt_sequence_get_block", _P, c_int, POINTER(BlockInfo))

run_options_init = _declare("takt_run_options_init", None, POINTER(RunOptions))
run_create_with = _call("takt_run_create_with", _P, POINTER(RunOptions), POINTER(_P))
run_destroy = _declare("takt_run_destroy", None, _P)
run_serialize = _call("takt_run_serialize", _P, POINTER(_P), POINTER(c_size_t))
run_resume = _call("takt_run_resume", _P, _P)
checkpoint_open = _call("takt_checkpoint_open", c_char_p, POINTER(_P))
checkpoint_deserialize = _call("takt_checkpoint_deserialize", c_char_p, c_size_t, POINTER(_P))
checkpoint_close = _declare("takt_checkpoint_close", None, _P)
run_record = _call("takt_run_record", _P, c_char_p)
run_observe = _call("takt_run_observe", _P, RowFunction, _P)
run_collect = _call("takt_run_collect", _P, POINTER(_P))
run_initialize = _call("takt_run_initialize", _P)
run_finish = _call("takt_run_finish", _P)
run_step = _declare("takt_run_step", c_int, _P, POINTER(c_int), _E)
run_to = _declare("takt_run_to", c_int, _P, c_double, POINTER(c_int), _E)
run_cancel = _declare("takt_run_cancel", None, _P, c_int)
run_time = _declare("takt_run_time", c_double, _P)
run_time_reached = _declare("takt_run_time_reached", c_double, _P)
run_start_time = _declare("takt_run_start_time", c_double, _P)
run_stop_time = _declare("takt_run_stop_time", c_double, _P)
run_count_columns = _declare("takt_run_count_columns", c_int, _P)
run_get_column = _call("takt_run_get_column", _P, c_int, POINTER(ColumnInfo))
run_statistics_json = _declare("takt_run_statistics_json", _P, _P, c_char_p)

series_destroy = _declare("takt_series_destroy", None, _P)
series_count = _declare("takt_series_count", c_int64, _P)
series_times = _declare("takt_series_times", _P, _P)
series_reals = _declare("takt_series_reals", _P, _P)
series_integers = _declare("takt_series_integers", _P, _P)
series_width = _declare("takt_series_width", c_int, _P, c_int)
series_bytes = _declare("takt_series_bytes", _P, _P, c_int64, c_int, POINTER(c_size_t))

view_create = _call("takt_view_create", _P, POINTER(c_char_p), c_int, POINTER(_P))
view_destroy = _declare("takt_view_destroy", None, _P)
view_get_item = _call("takt_view_get_item", _P, c_int, POINTER(ViewItem))
view_size = _declare("takt_view_size", c_int, _P, c_int)
view_reals = _declare("takt_view_reals", _P, _P)
view_integers = _declare("takt_view_integers", _P, _P)
view_bytes = _declare("takt_view_bytes", _P, _P, c_int, POINTER(c_size_t))
view_put_bytes = _call("takt_view_put_bytes", _P, c_int, c_char_p, c_size_t)
view_read = _declare("takt_view_read", c_int, _P, _E)
view_write = _call("takt_view_write", _P)

snapshot_take = _call("takt_snapshot_take", _P, POINTER(_P))
snapshot_restore = _call("takt_snapshot_restore", _P, _P)
snapshot_time = _declare("takt_snapshot_time", c_double, _P)
snapshot_destroy = _declare("takt_snapshot_destroy", None, _P)


def take_text(pointer):
    """A text that the library has made for us, which is freed."""
    value = ctypes.string_at(pointer)
    free(pointer)
    return text(value)
