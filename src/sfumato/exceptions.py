"""The one tree of errors: who complains, which rule, what was found, what to do."""

__all__ = [
    "InfeasibleError",
    "ParameterError",
    "ReleaseWarning",
    "SchemaError",
    "SfumatoError",
    "StoppedError",
    "VerificationError",
]


class SfumatoError(Exception):
    """Base of everything this package raises on purpose.

    Messages name columns, row numbers and parameters. They never carry a value read from
    personal data, because messages end in logs.

    Parameters
    ----------
    message
        What is wrong, and where.
    hint
        What to add so that it works, in a sentence at the end of the message.

    Examples
    --------
    >>> raise SfumatoError("the output directory exists")
    Traceback (most recent call last):
        ...
    sfumato.exceptions.SfumatoError: the output directory exists
    """

    def __init__(self, message: str = "", *, hint: str = "") -> None:
        super().__init__(f"{message} {hint}" if hint else message)
        self.hint = hint


class ParameterError(SfumatoError):
    """A parameter is unknown, of the wrong type, or out of range.

    Examples
    --------
    >>> str(ParameterError("SeqAnon: k must be at least 2, got 1."))
    'SeqAnon: k must be at least 2, got 1.'
    """


class SchemaError(SfumatoError):
    """The input does not have the columns, types or values its kind needs.

    Examples
    --------
    >>> str(SchemaError("trajectories: column 'time' is missing."))
    "trajectories: column 'time' is missing."
    """


class InfeasibleError(SfumatoError):
    """No release can meet the request: the rule, the numbers found and what would help.

    Examples
    --------
    >>> str(InfeasibleError("k^m-anonymity: only 3 of 5 people visit 2 places or more."))
    'k^m-anonymity: only 3 of 5 people visit 2 places or more.'
    """


class VerificationError(SfumatoError):
    """A release does not keep what it claims, so it was not left on disk.

    Examples
    --------
    >>> str(VerificationError("k^m-anonymity: measured k=1, claimed k=5."))
    'k^m-anonymity: measured k=1, claimed k=5.'
    """


class StoppedError(SfumatoError):
    """Something outside stopped the work, such as a want of memory: what is ready is kept, and can be gone on with.

    Examples
    --------
    >>> str(StoppedError("engine local: a process ended in the middle of a partition."))
    'engine local: a process ended in the middle of a partition.'
    """


class ReleaseWarning(Warning):
    """A release keeps its promise, and people are found in it by means the promise does not cover.

    Examples
    --------
    >>> issubclass(ReleaseWarning, SfumatoError)
    False
    """
