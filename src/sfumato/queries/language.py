"""The language of questions: text into a tree, or an error that points at the fault.

::

    question  = "count" NOUN [("where" | "with") condition] ["by" LENGTH]
              | ("first" | "last") event {window}
              | "relation" NOUN NAME "and" [NOUN] NAME
    condition = part {"or" part}
    part      = piece {"and" piece}
    piece     = "not" piece | "(" condition ")" | sequel | comparison
    sequel    = step {["and"] "then" step}
    step      = event {window} ["within" LENGTH]
    event     = ["at"] (NAME {"|" NAME} | "any")
    window    = ("before" | "after" | "during" | "in" | "on") TIME [".." TIME]
    comparison = NAME ("=" | "<" | "<=" | ">" | ">=") VALUE | NAME "in" (VALUE ".." VALUE | "{" VALUE {"," VALUE} "}")

A name that has spaces or signs in it, or is a word of the language, stands in quotes; a quote in it is written twice.
"""

from __future__ import annotations

import dataclasses
import difflib
from typing import NoReturn

from sfumato.queries.syntax import (
    Both,
    Comparison,
    Condition,
    Either,
    Neither,
    Query,
    QueryError,
    Sequel,
    Step,
    Window,
    Word,
)

__all__ = ["parse", "parse_lines"]

_KEYWORDS = frozenset(
    {
        *("after", "and", "any", "at", "before", "by", "count", "during", "first", "in", "last", "not", "on", "or"),
        *("relation", "then", "where", "with", "within"),
    }
)
_VERBS = ("count", "first", "last", "relation")
_WINDOWS = ("before", "after", "during", "in", "on")
_SIGNS = ("<=", ">=", "!=", "..", "<", ">", "=", "(", ")", "{", "}", "|", ",")
_QUOTES = "\"'"
_DEEPEST = 50


@dataclasses.dataclass(frozen=True)
class _Token:
    text: str
    at: int
    form: str
    """``word``, ``quoted``, ``sign`` or ``end``."""

    @property
    def shown(self) -> str:
        return "the end" if self.form == "end" else repr(self.text)


def parse(text: str) -> Query:
    """Read a question.

    Examples
    --------
    >>> query = parse("count person where clinic before 2024-03-01 and then pharmacy within 7d")
    >>> [step.names[0].text for step in query.condition.steps], query.condition.steps[1].within.text
    (['clinic', 'pharmacy'], '7d')
    >>> parse("count person where clinic and than pharmacy")
    Traceback (most recent call last):
        ...
    sfumato.queries.syntax.QueryError: query: expected 'and', 'or', 'then', 'by' or the end, found 'pharmacy'. A name of
    several words stands in quotes.
      count person where clinic and than pharmacy
                                         ^
    """
    return _Parser(text).parse()


def parse_lines(text: str) -> list[Query]:
    """Read one question per line; what follows a ``#`` outside of quotes is a remark, and empty lines are nothing.

    Examples
    --------
    >>> [query.verb for query in parse_lines("# of patients\\ncount person  # everybody\\n\\nfirst clinic")]
    ['count', 'first']
    """
    queries = []
    for number, line in enumerate(text.splitlines(), start=1):
        question = _drop_remark(line)
        if question.strip():
            try:
                queries.append(parse(question.rstrip()))
            except QueryError as fault:
                raise QueryError(f"line {number}: {fault.fault}", fault.question, fault.position) from None
    return queries


def _drop_remark(line: str) -> str:
    inside = ""
    for at, sign in enumerate(line):
        if inside:
            inside = "" if sign == inside else inside
        elif sign in _QUOTES and (at == 0 or not _is_inside(line[at - 1])):
            inside = sign
        elif sign == "#" and (at == 0 or line[at - 1].isspace()):
            return line[:at]
    return line


def _is_inside(sign: str) -> bool:
    """Tell whether a sign may stand inside of a word without quotes."""
    return not sign.isspace() and sign not in "<>=!(){}|,\"'"


def _tokenize(text: str) -> list[_Token]:
    tokens, at = [], 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        if text[at] in _QUOTES:
            name, end = _read_quoted(text, at)
            tokens.append(_Token(name, at, "quoted"))
        elif sign := next((sign for sign in _SIGNS if text.startswith(sign, at)), ""):
            tokens.append(_Token(sign, at, "sign"))
            end = at + len(sign)
        elif _is_inside(text[at]):
            end = at + 1
            while end < len(text) and (_is_inside(text[end]) or text[end] == "'") and not text.startswith("..", end):
                end += 1
            tokens.append(_Token(text[at:end], at, "word"))
        else:
            raise QueryError(f"the sign {text[at]!r} means nothing here.", text, at)
        at = end
    return [*tokens, _Token("", len(text), "end")]


def _read_quoted(text: str, at: int) -> tuple[str, int]:
    """Return the name in quotes that begins here, and where it ends; a doubled quote is one of the name's."""
    quote, name, end = text[at], "", at + 1
    while end < len(text):
        if text[end] != quote:
            name += text[end]
            end += 1
        elif text[end + 1 : end + 2] == quote:
            name += quote
            end += 2
        else:
            return name, end + 1
    raise QueryError(f"the quote {quote} is never closed.", text, at)


class _Parser:
    """Reads a question from left to right; each method reads one part of it."""

    def __init__(self, text: str) -> None:
        self.text, self.tokens, self.position, self.depth = text, _tokenize(text), 0, 0

    @property
    def token(self) -> _Token:
        return self.tokens[self.position]

    def is_next(self, *words: str, ahead: int = 0) -> bool:
        token = self.tokens[min(self.position + ahead, len(self.tokens) - 1)]
        return token.form in {"word", "sign"} and (token.text if token.form == "sign" else token.text.lower()) in words

    def take(self, *words: str) -> bool:
        if self.is_next(*words):
            self.position += 1
            return True
        return False

    def fail(self, expected: str) -> NoReturn:
        token = self.token
        raise QueryError(f"expected {expected}, found {token.shown}.", self.text, token.at)

    def read_word(self, expected: str) -> Word:
        token = self.token
        if token.form not in {"word", "quoted"}:
            self.fail(expected)
        self.position += 1
        return Word(token.text, token.at, token.form == "quoted")

    def read_name(self, expected: str) -> Word:
        if self.token.form == "word" and self.token.text.lower() in _KEYWORDS:
            raise QueryError(
                f"expected {expected}, found {self.token.shown}, a word of the language. Write a name that is one in "
                "quotes.",
                self.text,
                self.token.at,
            )
        return self.read_word(expected)

    def parse(self) -> Query:
        verb = self.token
        if not self.take(*_VERBS):
            near = difflib.get_close_matches(verb.text.lower(), _VERBS, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise QueryError(
                f"a question begins with {', '.join(_VERBS)}, found {verb.shown}.{hint}", self.text, verb.at
            )
        query = {"count": self._read_count, "relation": self._read_relation}.get(verb.text.lower(), self._read_extreme)(
            verb
        )
        if self.token.form != "end":
            bucket = "" if query.bucket else " 'by'" if query.verb == "count" else ""
            expected = f"'and', 'or', 'then',{bucket} or the end" if query.condition else f"'where',{bucket} or the end"
            before = self.tokens[self.position - 1]
            if before.form == self.token.form == "word" and before.text.lower() not in _KEYWORDS:
                message = f"expected {expected}, found {self.token.shown}. A name of several words stands in quotes."
                raise QueryError(message, self.text, self.token.at)
            self.fail(expected)
        return query

    def _read_count(self, _: _Token) -> Query:
        noun = self.read_name("what to count, such as person or record")
        condition = self._read_either() if self.take("where", "with") else None
        bucket = self.read_word("a length of time, such as day or 6h") if self.take("by") else None
        return Query("count", noun, condition, bucket, (), self.text)

    def _read_extreme(self, verb: _Token) -> Query:
        step = self._read_step(follows=False)
        return Query(verb.text.lower(), Word("record", verb.at), Sequel((step,)), None, (), self.text)

    def _read_relation(self, _: _Token) -> Query:
        noun = self.read_name("what to compare, such as record or value")
        first = self.read_word("a name or number")
        if not self.take("and"):
            self.fail("'and'")
        if self.token.form == "word" and self.token.text == noun.text:
            self.position += 1
        second = self.read_word("a name or number")
        return Query("relation", noun, None, None, (first, second), self.text)

    def _read_either(self) -> Condition:
        parts = [self._read_both()]
        while self.take("or"):
            parts.append(self._read_both())
        return parts[0] if len(parts) == 1 else Either(tuple(parts))

    def _read_both(self) -> Condition:
        parts = [self._read_piece()]
        while self.is_next("and") and not self.is_next("then", ahead=1):
            self.position += 1
            parts.append(self._read_piece())
        return parts[0] if len(parts) == 1 else Both(tuple(parts))

    def _read_piece(self) -> Condition:
        if self.is_next("not", "("):
            return self._read_inside()
        if self.is_next("<", "<=", ">", ">=", "=", "!=", ahead=1) or self._is_choice():
            return self._read_comparison()
        steps = [self._read_step(follows=False)]
        while self.is_next("then") or (self.is_next("and") and self.is_next("then", ahead=1)):
            self.take("and")
            self.take("then")
            steps.append(self._read_step(follows=True))
        return Sequel(tuple(steps))

    def _read_inside(self) -> Condition:
        """Read what stands after ``not`` or in brackets, not too deep."""
        if self.depth == _DEEPEST:
            raise QueryError(f"more than {_DEEPEST} brackets and 'not' inside of each other.", self.text, self.token.at)
        self.depth += 1
        if self.take("not"):
            inside: Condition = Neither(self._read_piece())
        else:
            self.take("(")
            inside = self._read_either()
            if not self.take(")"):
                self.fail("')'")
        self.depth -= 1
        return inside

    def _is_choice(self) -> bool:
        """Tell whether a name with ``in`` and values in braces comes next: that is never a window."""
        return self.is_next("in", ahead=1) and self.is_next("{", ahead=2)

    def _read_comparison(self) -> Condition:
        name = self.read_word("the name of a column")
        relation = self.token.text.lower()
        self.position += 1
        if relation == "in":
            self.take("{")
            values = [self.read_word("a value")]
            while self.take(","):
                values.append(self.read_word("a value"))
            if not self.take("}"):
                self.fail("',' or '}'")
            return Comparison(name, "in", tuple(values))
        value = self.read_word("a value")
        if relation == "!=":
            return Neither(Comparison(name, "=", (value,)))
        return Comparison(name, relation, (value,))

    def _read_step(self, *, follows: bool) -> Step:
        at = self.token.at
        self.take("at")
        names: list[Word] = []
        if not self.take("any"):
            names.append(self.read_name("the name of an event"))
            while self.take("|"):
                names.append(self.read_name("the name of an event"))
        windows, within = [], None
        while self.is_next(*_WINDOWS, "within"):
            if self.is_next("within"):
                if not follows or within is not None:
                    raise QueryError(
                        "'within' says how soon after the step before, so it comes once, after 'then'.",
                        self.text,
                        self.token.at,
                    )
                self.take("within")
                within = self.read_word("a length of time, such as 7d")
                continue
            windows.append(self._read_window())
        return Step(tuple(names), tuple(windows), within, at)

    def _read_window(self) -> Window:
        relation = self.token.text.lower()
        self.position += 1
        first = self.read_word("a time")
        last = self.read_word("a time") if self.take("..") else first
        return Window(relation, first, last)
