"""One thread, as the workers have: another number of threads rounds otherwise."""

import torch

torch.set_num_threads(1)
