"""What Meson fills in when it installs the package; in the source tree it stands as it is."""

LIBRARY = "@LIBRARY@"
"""The library's path, as seen from this folder."""
