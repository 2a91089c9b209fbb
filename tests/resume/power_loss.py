"""What a disk may hold after a power failure. Plays the journal of fault_shim.so on a model of one folder.

Only what was synced is sure. Of the later writes to a file, all, half or none may be there, or zeros instead. Of
the later changes of names in the folder, which happen in order, any number of the first may be there. A name that
was not synced may lead to content that was not synced either.
"""

import json


class File:
    def __init__(self, data=b""):
        self.data = bytearray(data)
        self.synced = bytes(data)

    def contents(self):
        """The contents of the file that may be found."""
        new = bytes(self.data)
        if new == self.synced:
            return [new]
        half = (len(self.synced) + len(new)) // 2
        zeros = self.synced + bytes(max(0, len(new) - len(self.synced)))
        return [self.synced, new, new[:half], zeros]


class Disk:
    def __init__(self, folder):
        self.folder = str(folder)
        self.names = {path.name: File(path.read_bytes()) for path in folder.iterdir()}
        self.synced_names = dict(self.names)
        self.pending = []  # later changes of names: (name, file, or None if removed)
        self.cells = 0  # number of the newest state that is sure to be found

    def name(self, path):
        folder, _, name = path.rpartition("/")
        assert folder == self.folder, f"{path} is not in {self.folder} itself"
        return name

    def put(self, name, file):
        self.pending.append((name, file))
        if file is None:
            del self.names[name]
        else:
            self.names[name] = file

    def sync_names(self):
        self.synced_names, self.pending = dict(self.names), []
        manifest = self.names.get("manifest.json")
        if manifest is not None and manifest.synced == manifest.data:
            self.cells = max([self.cells] + [each["cells"] for each in json.loads(manifest.data)["generations"]])

    def play(self, line):
        kind, path, *more = line.split("\t")
        if path.endswith(" (deleted)"):
            return
        if kind == "sync" and path == self.folder:
            self.sync_names()
            return
        name = self.name(path)
        if kind == "open":
            if name not in self.names:
                if int(more[0]) & 0o100:  # O_CREAT; otherwise there was nothing to open
                    self.put(name, File())
            elif int(more[0]) & 0o1000:  # O_TRUNC
                self.names[name].data.clear()
        elif kind == "write":
            data, offset = self.names[name].data, int(more[0])
            written = bytes.fromhex(more[1])
            data.extend(bytes(max(0, offset - len(data))))
            data[offset : offset + len(written)] = written
        elif kind == "truncate":
            data = self.names[name].data
            data.extend(bytes(max(0, int(more[0]) - len(data))))
            del data[int(more[0]) :]
        elif kind == "sync":
            self.names[name].synced = bytes(self.names[name].data)
        elif kind == "rename":
            file = self.names[name]
            self.put(self.name(more[0]), file)
            self.put(name, None)
        elif kind == "unlink":
            if name in self.names:
                self.put(name, None)
        else:
            raise ValueError(f"unknown in the journal: {line}")

    def crashes(self):
        """Every folder that may be found now, as {name: content}."""
        names = dict(self.synced_names)
        changes = [None, *self.pending]
        for position, change in enumerate(changes):
            if change is not None:
                name, file = change
                names.pop(name, None) if file is None else names.update({name: file})
            # A rename is a single change.
            after = changes[position + 1] if position + 1 < len(changes) else None
            if change and after and after[1] is None and change[1] is not None and names.get(after[0]) is change[1]:
                continue
            for way in range(4):
                yield {name: (found := file.contents())[min(way, len(found) - 1)] for name, file in names.items()}
