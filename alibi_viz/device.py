"""Which device computes, and on how many threads.

Notable choices:
- One thread by default. On two idle cores two threads train about 1.6 times faster, but several times slower as soon as
  anything else runs, and the reader's own machine always runs a browser.
- Nothing falls back silently: a device that is asked for by name and is not there raises ValueError.
"""

import os
from dataclasses import dataclass
from typing import Literal

import torch

DeviceName = Literal["cpu", "cuda", "mps", "xpu"]


@dataclass(frozen=True)
class Device:
    """A device by torch's name for it, and a label for people."""

    name: DeviceName
    label: str


def available() -> list[Device]:
    """The devices of this machine, fastest first; the CPU is always the last."""
    gpus: list[Device] = []
    if torch.cuda.is_available():
        gpus.append(Device("cuda", torch.cuda.get_device_name()))
    if hasattr(torch, "xpu") and torch.xpu.is_available():
        gpus.append(Device("xpu", torch.xpu.get_device_name()))
    if torch.backends.mps.is_available():
        gpus.append(Device("mps", "Apple GPU"))
    cores = os.cpu_count() or 1
    return [*gpus, Device("cpu", f"CPU, {cores} cores" if cores > 1 else "CPU, 1 core")]


def pick(name: str | None = None) -> Device:
    """The device called `name`, or the fastest if None. Raises ValueError if this machine has no such device."""
    devices = {device.name: device for device in available()}
    name = next(iter(devices)) if name is None else name
    if name not in devices:
        raise ValueError(f"There is no device {name!r} on this machine; it has {', '.join(devices)}.")
    return devices[name]
