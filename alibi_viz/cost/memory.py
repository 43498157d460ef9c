"""What one call adds to a process at its largest.

On a GPU torch counts its own memory. On a CPU nobody does: there the call runs in a fresh process, and what the largest
resident size of that process gains is told (Linux alone). The inputs and a first small call come before the count begins.
"""

import subprocess
import sys

import torch

from alibi_viz.cost.cases import case


def peak_bytes(name: str, tokens: int, device: str = "cpu") -> float:
    """Bytes of one forward call. Raises ValueError where it cannot be measured."""
    if device == "cuda":
        call = case(name, tokens, device=device).prepare()
        call()
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        call()
        return float(torch.cuda.max_memory_allocated() - before)
    if not sys.platform.startswith("linux"):
        raise ValueError("The memory of one call can be measured on Linux, or on a GPU.")
    command = [sys.executable, "-m", "alibi_viz.cost.memory", name, str(int(tokens))]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if done.returncode:
        raise ValueError(f"{name} cannot be measured at {tokens:,} tokens.")
    return float(done.stdout)


def _largest() -> float:
    with open("/proc/self/status") as status:
        return 1024.0 * next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))


def _measure(name: str, tokens: int) -> float:
    torch.set_num_threads(1)
    case(name, 64).prepare()()
    call = case(name, tokens).prepare()
    with open("/proc/self/clear_refs", "w") as refs:
        refs.write("5")
    before = _largest()
    call()
    return _largest() - before


if __name__ == "__main__":
    print(_measure(sys.argv[1], int(sys.argv[2])))
