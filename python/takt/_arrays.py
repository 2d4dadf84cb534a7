# SPDX-License-Identifier: MIT
"""Memory of the library as arrays: of NumPy where that is there, without copying; else lists."""
import ctypes
import os
from typing import TYPE_CHECKING, Any, Sequence, Union

try:
    import numpy
except ImportError:  # everything works without it
    numpy = None

if TYPE_CHECKING:
    from numpy import ndarray as Array
else:
    Array = Any  # of NumPy; a list without it

Value = Union[float, int, bool, str, bytes, Sequence[Any], Array]
Path = Union[str, "os.PathLike[str]"]


def view(pointer, shape, c_type, owner):
    """An array that shows the library's memory. NumPy's array keeps `owner` alive."""
    n = 1
    for size in shape:
        n *= size
    if not pointer or n == 0:
        return numpy.zeros(shape) if numpy else []
    buffer = (c_type * n).from_address(pointer)
    buffer.owner = owner
    return numpy.frombuffer(buffer, dtype=c_type).reshape(shape) if numpy else buffer


def column(array, index, width, n_rows):
    """One column of rows that follow each other."""
    if numpy:
        return array[:, index]
    return list(array[index:n_rows * width:width])


REAL, INTEGER = ctypes.c_double, ctypes.c_int64
