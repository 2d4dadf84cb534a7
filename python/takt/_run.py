# SPDX-License-Identifier: MIT
"""Runs: stepped, read, set, taken back; and what they leave behind."""
from __future__ import annotations

import ctypes
import json
import os
from ctypes import byref, c_char_p, c_int, c_size_t, c_void_p

from typing import TYPE_CHECKING, Any, Iterator, Optional, Sequence, Union

from . import _arrays, _native as n
from ._arrays import Array, Path, Value

if TYPE_CHECKING:
    from ._system import System

_STATUS_WORDS = {n.RUNNING: "interrupted", n.FINISHED: "ok", n.TERMINATED: "terminated", n.CANCELLED: "interrupted"}


class _ViewMemory:
    """Ends with the last of a View and its arrays. It must not know the View: the garbage collector does not see circles through arrays of NumPy."""

    def __init__(self, view):
        self._as_parameter_ = view

    def __del__(self):
        n.view_destroy(self._as_parameter_)


class View:
    """Variables that are read and set together.

    `reals` and `integers` are the library's own arrays: `read()` brings the present values there, `write()` sets what stands there.
    """

    def __init__(self, run: Run, names: Union[str, Sequence[str]]) -> None:
        self.names: list[str] = [names] if isinstance(names, str) else list(names)
        for name in self.names:
            if not isinstance(name, str):
                raise TypeError(f"{name!r} is not the name of a variable")
        texts = (c_char_p * len(self.names))(*[n.encode(name) for name in self.names])
        view = c_void_p()
        n.view_create(run._handle(), texts, len(self.names), byref(view))
        self._as_parameter_ = view
        memory = _ViewMemory(view)
        self._run = run
        self.items = []
        for i in range(len(self.names)):
            item = n.ViewItem()
            n.view_get_item(view, i, byref(item))
            shape = tuple(item.dimensions[k] for k in range(item.n_dimensions))
            self.items.append((item.kind, item.first, item.n, shape, item.type == n_boolean()))
        self.reals = _arrays.view(n.view_reals(view), (n.view_size(view, n.KIND_REAL),), _arrays.REAL, memory)
        self.integers = _arrays.view(n.view_integers(view), (n.view_size(view, n.KIND_INTEGER),), _arrays.INTEGER, memory)
        self._memory = memory  # arrays without elements keep nothing
        self._err = n.Error()
        self._err_ref = byref(self._err)

    def read(self) -> Array:
        """Brings the present values into `reals` and `integers`, and returns `reals`."""
        status = n.view_read(self._as_parameter_, self._err_ref)
        if status:
            n.raise_error(status, self._err)
        return self.reals

    def write(self) -> None:
        """Sets the variables to what stands in `reals` and `integers`."""
        n.view_write(self._as_parameter_)

    def value(self, index: int = 0) -> Value:
        """The value of one item, as a number, bool, str, bytes, or array."""
        kind, first, count, shape, is_boolean = self.items[index]
        if kind == n.KIND_BYTES:
            values = [self._bytes(first + i) for i in range(count)]
            return values if shape else values[0]
        source = self.reals if kind == n.KIND_REAL else self.integers
        if shape:
            part = source[first:first + count]
            return part.reshape(shape).copy() if _arrays.numpy else list(part)
        value = source[first].item() if _arrays.numpy else source[first]
        return bool(value) if is_boolean else value

    def put(self, value: Value, index: int = 0) -> None:
        """Puts the value of one item there, for `write()`."""
        kind, first, count, shape, _ = self.items[index]
        values = _flat(value) if shape else [value]
        if len(values) != count:
            raise n.UsageError(f"{self.names[index]} has {count} elements, but {len(values)} values are given")
        if kind == n.KIND_BYTES:
            for i, one in enumerate(values):
                if not isinstance(one, (bytes, str)):
                    raise n.UsageError(f"{self.names[index]}: {one!r} is neither a text nor bytes")
                data = one if isinstance(one, bytes) else one.encode()
                n.view_put_bytes(self._as_parameter_, first + i, data, len(data))
            return
        target, convert = (self.reals, float) if kind == n.KIND_REAL else (self.integers, _integer)
        try:
            numbers = [convert(one) for one in values]
        except (TypeError, ValueError, OverflowError):
            kind_name = "a number" if kind == n.KIND_REAL else "a whole number"
            raise n.UsageError(f"{self.names[index]}: {value!r} is not {kind_name}") from None
        for i, number in enumerate(numbers):
            target[first + i] = number

    def _bytes(self, index):
        size = c_size_t()
        pointer = n.view_bytes(self._as_parameter_, index, byref(size))
        data = ctypes.string_at(pointer, size.value)
        try:
            return data.decode()
        except UnicodeDecodeError:
            return data


def n_boolean():
    """The library's number of the type Boolean."""
    global _BOOLEAN
    if _BOOLEAN is None:
        _BOOLEAN = next(i for i in range(64) if n.type_name(i) == b"Boolean")
    return _BOOLEAN


_BOOLEAN = None


def _integer(value):
    number = int(value)
    if number != value or not -2**63 <= number < 2**63:
        raise ValueError
    return number


def _flat(value):
    if hasattr(value, "ravel"):
        return list(value.ravel())
    if isinstance(value, (list, tuple)):
        return [one for part in value for one in _flat(part)]
    return [value]


class Snapshot:
    """The whole state of a run at one time; see Run.save()."""

    def __init__(self, run: Run) -> None:
        self._as_parameter_ = None
        handle = c_void_p()
        n.snapshot_take(run._handle(), byref(handle))
        self._as_parameter_ = handle
        self._run = run
        self.time: float = n.snapshot_time(handle)

    def __del__(self):
        if self._as_parameter_:
            n.snapshot_destroy(self._as_parameter_)


class Result:
    """All rows of a run: `result["Tank.level"]`, `result.time`."""

    def __init__(self, series, columns, units):
        self._as_parameter_ = series
        self._columns = columns  # name -> kind, index
        self.units: dict[str, str] = units
        self.statistics: Optional[dict[str, Any]] = None
        self.warnings: list[str] = []
        self._is_growing = True  # then the library's arrays may move

    def __del__(self):
        if self._as_parameter_:
            n.series_destroy(self._as_parameter_)

    @property
    def names(self) -> list[str]:
        """The recorded variables."""
        return list(self._columns)

    def __len__(self) -> int:
        return n.series_count(self._as_parameter_)

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __contains__(self, name: object) -> bool:
        return name in self._columns

    @property
    def time(self) -> Array:
        """The times of the rows, in seconds. Two rows of the same time are a jump."""
        return self._stable(_arrays.view(n.series_times(self), (len(self),), _arrays.REAL, self))

    def _stable(self, array):
        return array.copy() if self._is_growing and _arrays.numpy else list(array) if self._is_growing else array

    def __getitem__(self, name: str) -> Array:
        if name == "time":
            return self.time
        if name not in self._columns:
            raise KeyError(f"{name!r} was not recorded; there are {', '.join(self.names[:20])}")
        kind, index = self._columns[name]
        rows, width = len(self), n.series_width(self, kind)
        if kind == n.KIND_BYTES:
            return [self._bytes(i, index) for i in range(rows)]
        real = kind == n.KIND_REAL
        pointer = (n.series_reals if real else n.series_integers)(self)
        shape = (rows, width) if _arrays.numpy else (rows * width,)
        array = _arrays.view(pointer, shape, _arrays.REAL if real else _arrays.INTEGER, self)
        return self._stable(_arrays.column(array, index, width, rows))

    def _bytes(self, row, index):
        size = c_size_t()
        pointer = n.series_bytes(self, row, index, byref(size))
        return ctypes.string_at(pointer, size.value).decode("utf-8", "replace")

    def to_pandas(self) -> Any:
        """A DataFrame with the time as index (needs pandas)."""
        import pandas

        return pandas.DataFrame({name: self[name] for name in self._columns}, index=pandas.Index(self.time, name="time"))

    def plot(self, *names: str, ax: Any = None) -> Any:
        """Draws variables over time (needs matplotlib)."""
        if ax is None:
            from matplotlib import pyplot

            ax = pyplot.gca()
        for name in names or self._columns:
            unit = self.units.get(name)
            ax.plot(self.time, self[name], label=f"{name} [{unit}]" if unit else name)
        ax.set_xlabel("time [s]")
        ax.legend()
        return ax


def to_text(value: Any) -> str:
    """A value as one would write it on the command line."""
    if hasattr(value, "tolist"):  # arrays and numbers of NumPy
        value = value.tolist()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return " ".join(to_text(one) for one in value)
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return repr(float(value)) if isinstance(value, float) else str(value)


def _assignments(pairs):
    """Pairs of names and values for the library, and how many they are."""
    array = (n.Assignment * len(pairs))(*[n.Assignment(n.encode(name), n.encode(to_text(value))) for name, value in pairs])
    return array, len(pairs)


class Run:
    """A simulation that goes on step by step. Made by System.run(); use it in a `with` statement.

    `run["Tank.level"]` reads any variable, recorded or not; `run["Tank.inflow"] = 2` sets an input or a tunable parameter from the
    present time on. Other threads go on while the library works.
    """

    def __init__(self, system: System, settings, values, record, output, callback, resume) -> None:
        self._run = None
        self._system = system
        self._views = {}
        self._progress, self._err = c_int(n.RUNNING), n.Error()
        self._progress_ref, self._err_ref = byref(self._progress), byref(self._err)
        handle = c_void_p()
        texts = [(name, value) for name, value in values.items() if not isinstance(value, bytes)]
        options = n.RunOptions()
        n.run_options_init(byref(options))
        options.settings, options.n_settings = _assignments(settings)
        options.values, options.n_values = _assignments(texts)
        system._shared.call(n.run_create_with, system._system, byref(options), byref(handle))
        self._run = handle
        system._runs.add(self)
        self._shared = system._shared
        self._shared.keep(self)
        try:
            self._prepare({name: value for name, value in values.items() if isinstance(value, bytes)}, record, output, callback, resume)
        except BaseException:
            self.close()
            raise

    def _prepare(self, values, record, output, callback, resume):
        series = c_void_p()
        self.result: Optional[Result] = None
        if output is not None:
            n.run_record(self._run, n.encode(output))
        if callback:
            self._failure = None
            self._callback = n.RowFunction(self._row)
            self._user = callback
            n.run_observe(self._run, self._callback, None)
        columns = [self._column(i) for i in range(n.run_count_columns(self._run))]
        self._columns = [(name, (kind, index)) for name, kind, index, _ in columns]
        if record:
            n.run_collect(self._run, byref(series))
            self.result = Result(series, dict(self._columns), {name: unit for name, _, _, unit in columns if unit})
        for name, value in values.items():
            self[name] = value
        if resume is None:
            self._shared.call(n.run_initialize, self._run)
        else:
            self._resume(resume)

    def _resume(self, source):
        checkpoint = c_void_p()
        if isinstance(source, bytes):
            n.checkpoint_deserialize(source, len(source), byref(checkpoint))
        else:
            n.checkpoint_open(n.encode(source), byref(checkpoint))
        try:
            self._shared.call(n.run_resume, self._run, checkpoint)
        finally:
            n.checkpoint_close(checkpoint)

    def _column(self, index):
        info = n.ColumnInfo()
        n.run_get_column(self._run, index, byref(info))
        return n.text(info.name), info.kind, info.index, n.text(info.unit)

    def _row(self, _, row):
        try:
            row = row.contents
            values = {}
            for name, (kind, index) in self._columns:
                if kind == n.KIND_BYTES:
                    values[name] = ctypes.string_at(row.bytes[index], row.sizes[index]).decode("utf-8", "replace")
                else:
                    values[name] = (row.reals if kind == n.KIND_REAL else row.integers)[index]
            return 1 if self._user(row.time, values) is False else 0
        except BaseException as error:  # it must not pass through the library
            self._failure = error
            return 1

    def _handle(self):
        if not self._run:
            raise n.UsageError("the run is closed")
        return self._run

    # ---- time --------------------------------------------------------------------------------------

    @property
    def time(self) -> float:
        """The time that the run has reached, in seconds; may be asked from any thread."""
        return n.run_time_reached(self._handle())

    @property
    def stop_time(self) -> float:
        """The end of the simulation, in seconds."""
        return n.run_stop_time(self._handle())

    @property
    def is_running(self) -> bool:
        """Is there a next step?"""
        return self._progress.value in (n.RUNNING, n.CANCELLED)

    def _check(self, status):
        if status:
            self._fail(status)
        if getattr(self, "_failure", None):
            failure, self._failure = self._failure, None
            raise failure

    def _fail(self, status):
        if not self._run:
            raise n.UsageError("the run is closed")
        self._shared.tell_warnings()
        n.raise_error(status, self._err)

    def step(self) -> bool:
        """Makes one communication step. Returns whether there is a next one."""
        status = n.run_step(self._run, self._progress_ref, self._err_ref) if self._run else 2
        if status or self._err.status or hasattr(self, "_failure"):
            self._check(status)
        return self._progress.value == n.RUNNING

    def to(self, time: float) -> bool:
        """Steps until `time`, in seconds, where a step ends exactly. Returns whether the run goes on there. A time that has passed changes nothing; restore() goes back."""
        self._check(n.run_to(self._handle(), float(time), self._progress_ref, self._err_ref))
        return self._progress.value == n.RUNNING

    def finish(self) -> Result:
        """Steps to the end, completes the results, and returns them."""
        self._check(n.run_to(self._handle(), float("inf"), self._progress_ref, self._err_ref))
        self._end()
        return self.result

    def cancel(self) -> None:
        """Lets to() and finish() return after the present step; may be called from any thread."""
        n.run_cancel(self._handle(), 1)

    def __iter__(self) -> Iterator[float]:
        """Steps to the end; gives the time after each step."""
        while self.is_running:
            self.step()
            yield n.run_time(self._handle())

    # ---- values ------------------------------------------------------------------------------------

    def view(self, *names: Union[str, Sequence[str]]) -> View:
        """A View of several variables, for reading and setting them in bulk."""
        return View(self, names[0] if len(names) == 1 and not isinstance(names[0], str) else names)

    def _view_of(self, name):
        if not isinstance(name, str):
            raise TypeError(f"{name!r} is not the name of a variable")
        view = self._views.get(name)
        if view is None:
            view = self._views[name] = View(self, name)
        return view

    def __getitem__(self, name: str) -> Value:
        view = self._view_of(name)
        view.read()
        return view.value()

    def __setitem__(self, name: str, value: Value) -> None:
        view = self._view_of(name)
        view.put(value)
        view.write()

    # ---- state -------------------------------------------------------------------------------------

    def save(self) -> Snapshot:
        """Keeps the whole state in memory; restore() goes back to it as often as one likes."""
        return Snapshot(self)

    def restore(self, snapshot: Snapshot) -> None:
        """Goes back to a snapshot of this run."""
        if not isinstance(snapshot, Snapshot):
            raise n.UsageError(f"{snapshot!r} is not a snapshot of save()")
        n.snapshot_restore(self._handle(), snapshot)
        self._progress.value = n.RUNNING

    def serialize(self) -> bytes:
        """The whole state as bytes, from which another run of the same system can go on, also in another process:
        `system.run(resume=data)`."""
        data, size = c_void_p(), c_size_t()
        self._shared.call(n.run_serialize, self._handle(), byref(data), byref(size))
        try:
            return ctypes.string_at(data, size.value)
        finally:
            n.free(data)

    @property
    def statistics(self) -> dict[str, Any]:
        """Counts and times so far, as in the statistics file of `takt run`."""
        word = _STATUS_WORDS[self._progress.value]
        return json.loads(n.take_text(n.run_statistics_json(self._handle(), word.encode())))

    # ---- end ---------------------------------------------------------------------------------------

    def _end(self):
        statistics = self.statistics
        if self.result is not None:
            self.result.statistics = statistics
        try:
            n.run_finish(self._handle())
        finally:
            told = self._shared.tell_warnings()
            if self.result is not None:
                self.result.warnings += told
                self.result._is_growing = False

    def close(self) -> None:
        """Ends the run. Results stay."""
        run, self._run = self._run, None
        if run:
            n.run_destroy(run)
            self._shared.release(self)
            if self.result is not None:
                self.result._is_growing = False
            self._shared.tell_warnings()

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self):
        run, self._run = getattr(self, "_run", None), None
        if run:
            n.run_destroy(run)
            self._shared.release(self)
