"""What linear leaves cost on data that could make them blow up."""
