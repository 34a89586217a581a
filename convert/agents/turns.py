"""Which texts and calls are one message of the assistant.

A response of the model holds thoughts, a text and calls, in this order. A log records
them one by one; some give the calls of one response an id that they share.
"""

from __future__ import annotations


class Turns:
    """The messages of a run, by their numbers from 1."""

    def __init__(self) -> None:
        self.number = 0
        """The number of the last message."""

        self._response = ""
        self._is_open = self._has_calls = self._has_text = False

    def say(self) -> int:
        """Return the message of a text or a thought; behind calls, it is another."""
        if not self._is_open or self._has_calls:
            self._begin("")
        return self.number

    def say_alone(self) -> int:
        """Return the message of a text; behind another text, it is another."""
        if self._has_text:
            self.close()
        number = self.say()
        self._has_text = True
        return number

    def call(self, response: str) -> int:
        """Return the message of a call, which a response with this id made."""
        if response and response == self._response:
            self._is_open = True
        elif not self._is_open or (response and self._response):
            self._begin(response)
        self._response = response or self._response
        self._has_calls = True
        return self.number

    def close(self) -> None:
        """End the message: somebody else has the word."""
        self._is_open = False

    def _begin(self, response: str) -> None:
        self.number += 1
        self._response = response
        self._is_open, self._has_calls = True, False
        self._has_text = False
