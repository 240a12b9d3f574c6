"""One forest for each output, or one forest whose leaves have a line for each of them."""
