"""What can compute here."""

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
    """That runs on it."""
    name: Optional[str]
    """Of the GPU, or the vector instructions of a CPU engine."""
    fault: Optional[str]
    """Why it cannot be used; ``None`` when it can."""
    automatic: bool
    """Whether ``device="auto"`` takes it first."""
    gpu: bool
    """Whether it is a GPU; what follows is ``None`` for the CPU, and where it is not known."""
    uuid: Optional[str] = None
    """As nvidia-smi prints it."""
    capability: Optional[Tuple[int, int]] = None
    """Compute capability, such as (9, 0)."""
    multiprocessors: Optional[int] = None
    """Streaming multiprocessors."""
    clock_mhz: Optional[int] = None
    """Of these."""
    memory_free: Optional[int] = None
    """Bytes."""
    memory_total: Optional[int] = None
    """Bytes."""
    driver: Optional[str] = None
    """The newest CUDA version that the driver serves."""
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
    """Lists what can compute here: GPUs first, then the CPU once for each of its engines, best first.

    :param device: which: "auto" for all, "cpu", "gpu" for all GPUs, "gpu:INDEX", "gpu:UUID"
    :raises UsageError: when ``device`` makes no sense
    :raises DeviceError: when it asks for a GPU that is not there
    """
    pointer = call(library.cs_device_list_new, text_bytes("device", device))
    try:
        found = pointer.contents
        return [_device(found.devices[k]) for k in range(found.count)]
    finally:
        library.cs_device_list_free(pointer)
