// Marks the functions of a library that Python calls; nothing else is visible outside.
#pragma once

#if defined(_WIN32)
#define VRP_API extern "C" __declspec(dllexport)
#else
#define VRP_API extern "C" __attribute__((visibility("default")))
#endif

// What the library was compiled from: see `sources_digest` in library.py.
VRP_API const char* vrp_sources() { return VRP_SOURCES; }
