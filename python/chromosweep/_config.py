"""Meson fills this in when it installs the package. In the source tree it stays as it is."""

LIBRARY = "@LIBRARY@"
"""The library's path, as seen from this folder."""
