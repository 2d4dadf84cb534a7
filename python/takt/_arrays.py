# SPDX-License-Identifier: MIT
"""Memory of the library as arrays: of NumPy where that is there, without copying; else lists."""
import ctypes

try:
    import numpy
except ImportError:  # everything works without it
    numpy = None


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
