"""Which device computes, and on how many threads.

Notable choices:
- One thread by default. On two idle cores two threads train about 1.6 times faster, but several times slower as soon as
  anything else runs, and the reader's own machine always runs a browser. PyTorch keeps that number for each thread of ours,
  so every run of a page asks anew (ui/shell/page_chrome.py): without it a product of small matrices takes up to 40 ms.
- Nothing falls back silently: a device that is asked for by name and is not there raises ValueError.
"""

import os
from dataclasses import dataclass
from typing import Literal

import torch

from alibi_viz.lessons.problems import Problem

DeviceName = Literal["cpu", "cuda", "mps", "xpu"]


@dataclass(frozen=True)
class Device:
    """A device by torch's name for it."""

    name: DeviceName
    title: str  # of a GPU: the hardware's name
    cores: int = 0  # of a CPU


def available() -> list[Device]:
    """The devices of this machine, fastest first; the CPU is always the last."""
    gpus: list[Device] = []
    if torch.cuda.is_available():
        gpus.append(Device("cuda", torch.cuda.get_device_name()))
    if hasattr(torch, "xpu") and torch.xpu.is_available():
        gpus.append(Device("xpu", torch.xpu.get_device_name()))
    if torch.backends.mps.is_available():
        gpus.append(Device("mps", "Apple GPU"))
    return [*gpus, Device("cpu", "CPU", os.cpu_count() or 1)]


def pick(name: str | None = None) -> Device:
    """The device called `name`, or the fastest if None. Raises ValueError if this machine has no such device."""
    devices = {device.name: device for device in available()}
    name = next(iter(devices)) if name is None else name
    if name not in devices:
        raise Problem("methods.device", device=name, devices=", ".join(devices))
    return devices[name]
