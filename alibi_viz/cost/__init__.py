"""What attention costs on this device: times, memory, sizes. One engine for the page and for the benchmarks."""
