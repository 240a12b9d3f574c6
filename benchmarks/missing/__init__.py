"""What it would pay to tell a leaf's line where its features are missing."""
