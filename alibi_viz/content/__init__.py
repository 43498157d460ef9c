"""What attention reads where no trained model does: words as vectors, and one layer over them."""
