// SPDX-License-Identifier: MIT
// What FMUs written in C++ may do: an exception leaves the library. For hostile_fmu.c.
#include <stdexcept>

extern "C" void hostile_throw(void);

extern "C" void hostile_throw(void)
{
    throw std::runtime_error("the engine has no oil");
}
