"""Reading of XML files in blocks, with limits and without entities."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn, Protocol
from xml.parsers import expat

from sfumato.exceptions import SchemaError

__all__ = ["LONGEST_TEXT", "Listener", "walk_xml"]

DEEPEST = 64
"""Largest depth of nested elements."""
LONGEST_TEXT = 1 << 20
"""Largest number of characters of a text or attribute."""


class Listener(Protocol):
    """Receives the elements of a file, one after another."""

    def begin(self, path: tuple[str, ...], tag: str, attributes: dict[str, str]) -> None:
        """Receive the beginning of an element; ``path`` are those around it, names are without their prefix."""

    def end(self, path: tuple[str, ...], tag: str, text: str) -> None:
        """Receive the end of an element with its text, that after inner elements if there are any."""


class _FaultError(Exception):
    """Something that the file must not have; expat passes it on, and its context is dropped later."""


def walk_xml(name: str, blocks: Iterable[bytes], listener: Listener) -> None:
    """Pass every element of a file to a listener, in memory that does not grow with the file.

    Entities that the file declares are refused: a few lines of them can expand to more text than any machine holds, or
    to files of the machine.

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
    sfumato.exceptions.SchemaError: log.xes: line 1 declares a document type, which is refused. Remove it.
    """
    walker = _Walker(listener)
    parser = walker.parser
    fault = hint = ""
    try:
        for block in blocks:
            parser.Parse(block, False)
        parser.Parse(b"", True)
    except _FaultError as error:
        fault, hint = error.args
    except (expat.ExpatError, UnicodeError, ValueError, LookupError):
        fault, hint = "is not XML, or the file is truncated", "Copy it again."
    if fault:
        line = int(parser.CurrentLineNumber)
        raise SchemaError(f"{name}: line {line} {fault}.", rows=(line,), hint=hint)


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
            raise _FaultError(f"has elements nested more than {DEEPEST} deep", "")
        if any(len(value) > LONGEST_TEXT for value in attributes.values()):
            raise _FaultError(f"has a text of more than {LONGEST_TEXT:,} characters", "")
        if self.texts:
            self.texts[-1].clear()  # text between elements is not used, and may be long
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
            raise _FaultError(f"has a text of more than {LONGEST_TEXT:,} characters", "")
        if self.texts:
            self.texts[-1].append(text)

    def _refuse_doctype(self, *_declared: object) -> NoReturn:
        raise _FaultError("declares a document type, which is refused", "Remove it.")
