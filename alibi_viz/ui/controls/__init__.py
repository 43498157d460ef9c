"""Values of the address: their bounds, how long texts are packed, and those that all pages share."""
