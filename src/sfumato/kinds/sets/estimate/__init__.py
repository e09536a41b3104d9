"""What can be said about the original of released sets: supports that are certain or expected, and reconstructions."""

from sfumato.kinds.sets.estimate.reconstruction import reconstruct
from sfumato.kinds.sets.estimate.supports import certain_support

__all__ = ["certain_support", "reconstruct"]
