"""XML as strangers write it: read a block at a time, without entities of its own, not too deep."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn, Protocol
from xml.parsers import expat

from sfumato.exceptions import SchemaError

__all__ = ["LONGEST_TEXT", "Listener", "walk_xml"]

DEEPEST = 64
"""Elements inside of one another; logs and tracks need a handful."""
LONGEST_TEXT = 1 << 20
"""Characters of one text or attribute."""


class Listener(Protocol):
    """What is told about the elements of a file, one after another."""

    def begin(self, path: tuple[str, ...], tag: str, attributes: dict[str, str]) -> None:
        """Take the beginning of an element; ``path`` are those around it, names are without their prefix."""

    def end(self, path: tuple[str, ...], tag: str, text: str) -> None:
        """Take the end of an element with the text that stands in it, after other elements in it if there are any."""


class _FaultError(Exception):
    """Something that the file must not have; expat lets it through, with its context dropped later."""


def walk_xml(name: str, blocks: Iterable[bytes], listener: Listener) -> None:
    """Tell a listener every element of a file, in memory that does not grow with the file.

    Entities that the file declares are refused: a few lines of them can stand for more text than any machine holds, or
    for files of the machine.

    Examples
    --------
    >>> class Names:
    ...     def begin(self, path, tag, attributes):
    ...         print(*path, tag)
    ...     def end(self, path, tag, text):
    ...         pass
    >>> walk_xml("log.xes", [b"<log><tra", b"ce/></log>"], Names())
    log
    log trace
    >>> walk_xml("log.xes", [b'<!DOCTYPE log [<!ENTITY a "b">]><log>&a;</log>'], Names())
    Traceback (most recent call last):
        ...
    sfumato.exceptions.SchemaError: log.xes: line 1 declares a document type, which files of this format do not have.
    Remove it.
    """
    walker = _Walker(listener)
    parser = walker.parser
    fault = ""
    try:
        for block in blocks:
            parser.Parse(block, False)
        parser.Parse(b"", True)
    except _FaultError as error:
        fault = str(error)
    except (expat.ExpatError, UnicodeError, ValueError, LookupError):
        fault = "is not XML, or the file is cut short. Copy it again"
    if fault:
        raise SchemaError(f"{name}: line {parser.CurrentLineNumber} {fault}.")


class _Walker:
    def __init__(self, listener: Listener) -> None:
        self.listener = listener
        self.path: list[str] = []
        self.texts: list[list[str]] = []
        self.length = 0
        self.parser: Any = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._begin
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.StartDoctypeDeclHandler = self._refuse_doctype
        self.parser.EntityDeclHandler = self._refuse_doctype

    def _begin(self, name: str, attributes: dict[str, str]) -> None:
        if len(self.path) >= DEEPEST:
            raise _FaultError(f"has elements more than {DEEPEST} deep in one another")
        if any(len(value) > LONGEST_TEXT for value in attributes.values()):
            raise _FaultError(f"has a text of more than {LONGEST_TEXT:,} characters")
        if self.texts:
            self.texts[-1].clear()  # what stands between elements is nothing that is wanted, and may be much
        tag = name.rpartition(":")[2]
        self.listener.begin(tuple(self.path), tag, attributes)
        self.path.append(tag)
        self.texts.append([])
        self.length = 0

    def _end(self, _name: str) -> None:
        tag = self.path.pop()
        self.listener.end(tuple(self.path), tag, "".join(self.texts.pop()))
        self.length = 0

    def _text(self, text: str) -> None:
        self.length += len(text)
        if self.length > LONGEST_TEXT:
            raise _FaultError(f"has a text of more than {LONGEST_TEXT:,} characters")
        if self.texts:
            self.texts[-1].append(text)

    def _refuse_doctype(self, *_declared: object) -> NoReturn:
        raise _FaultError("declares a document type, which files of this format do not have. Remove it")
