"""Single kernels beside loops that mark the machine's limit."""
