// SPDX-License-Identifier: MIT
// Makes a symbol that the linker keeps only once per process, as FMUs written in C++ have (Hopsan
// and others). Linked into an FMU.
template <typename T> struct counter {
    static inline int value = 0;
};

extern "C" __attribute__((visibility("default"))) int quirk_unique()
{
    return ++counter<int>::value;
}
