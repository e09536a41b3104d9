"""One Hypothesis profile for the whole suite: how fast the machine is decides nothing."""

from hypothesis import HealthCheck, settings

settings.register_profile("sfumato", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
settings.load_profile("sfumato")
