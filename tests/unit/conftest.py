"""Settings of the unit tests: one thread (the machine is shared), reproducible hypothesis examples."""

import torch
from hypothesis import settings

torch.set_num_threads(1)
settings.register_profile("unit", deadline=None, derandomize=True, max_examples=25)
settings.load_profile("unit")
