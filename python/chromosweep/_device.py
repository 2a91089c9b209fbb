"""The GPUs and CPU engines of this machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, List, Optional, Tuple

from ._arguments import text_bytes
from ._library import call, library, text


@dataclass(frozen=True)
class Device:
    """A GPU, or the CPU with one of its engines."""

    device: str
    """What ``compare(device=...)`` takes, such as "gpu:0" or "cpu"."""
    engine: str
    """The engine that runs on it."""
    name: Optional[str]
    """Name of the GPU, or the vector instructions of a CPU engine."""
    fault: Optional[str]
    """Why it cannot be used; ``None`` if it can."""
    automatic: bool
    """Whether ``device="auto"`` tries it first."""
    gpu: bool
    """Whether it is a GPU. The fields below are ``None`` for the CPU, or if unknown."""
    uuid: Optional[str] = None
    """As nvidia-smi prints it."""
    capability: Optional[Tuple[int, int]] = None
    """Compute capability, such as (9, 0)."""
    multiprocessors: Optional[int] = None
    """Streaming multiprocessors."""
    clock_mhz: Optional[int] = None
    """Clock rate of the multiprocessors."""
    memory_free: Optional[int] = None
    """Bytes."""
    memory_total: Optional[int] = None
    """Bytes."""
    driver: Optional[str] = None
    """The newest CUDA version that the driver supports."""
    runtime: Optional[str] = None
    """The version of the CUDA runtime in the library."""


def _device(it: Any) -> Device:
    common = Device(
        device=text(it.device) or "",
        engine=text(it.engine) or "",
        name=text(it.name),
        fault=text(it.fault),
        automatic=bool(it.automatic),
        gpu=bool(it.gpu),
    )
    if not common.gpu:
        return common
    return Device(
        **vars(common)
        | {
            "uuid": text(it.uuid),
            "capability": (it.capability_major, it.capability_minor),
            "multiprocessors": it.multiprocessors or None,
            "clock_mhz": it.clock_mhz or None,
            "memory_free": it.memory_free if it.memory_free >= 0 else None,
            "memory_total": it.memory_total or None,
            "driver": text(it.driver),
            "runtime": text(it.runtime),
        }
    )


def devices(device: str = "auto") -> List[Device]:
    """Lists the GPUs, then the CPU once for each of its engines, the best first.

    :param device: "auto" for all, "cpu", "gpu" for all GPUs, "gpu:INDEX" or "gpu:UUID"
    :raises UsageError: if ``device`` is none of these
    :raises DeviceError: if there is no such GPU
    """
    pointer = call(library.cs_device_list_new, text_bytes("device", device))
    try:
        found = pointer.contents
        return [_device(found.devices[k]) for k in range(found.count)]
    finally:
        library.cs_device_list_free(pointer)
