"""places.py PREFIX FOLDER LIBRARY: prints where the package is installed, and LIBRARY as seen from there.

If PREFIX is empty, that is FOLDER, Meson's choice. Otherwise it is the place below PREFIX where python3 itself looks.
On Debian that is /usr/local/lib/python3.11/dist-packages, and not /usr/local/lib/python3/dist-packages as Meson says.
Below ~/.local it is the user's own folder of packages.
"""

import os
import site
import sys

prefix, folder, library = sys.argv[1:]
below = [place for place in [*site.getsitepackages(), site.getusersitepackages()]
         if prefix and os.path.relpath(place, prefix).startswith("lib")]
place = os.path.join(below[0] if below and folder not in below else folder, "chromosweep")
print(place)
print(os.path.relpath(library, place))
