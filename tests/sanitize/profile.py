"""A hypothesis profile for instrumented code, which is several times slower."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "sanitize",
    deadline=None,
    max_examples=20,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("sanitize")
