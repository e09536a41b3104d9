"""What is said of kernels that were compiled ahead."""

from sfumato.studies import compilation
from sfumato.studies.compilation import Compiled, compile_kernels


def test_a_method_that_had_to_be_compiled_was_not_ready(monkeypatch):
    seen = Compiled(("sga",), ("sga", "zga"), {"zga": "too few", "sd-seqanon": "no hierarchy"})
    monkeypatch.setattr(compilation, "run_samples", lambda *_: seen)
    assert compile_kernels([]) == Compiled(("sga",), ("zga",), {"sd-seqanon": "no hierarchy"})
