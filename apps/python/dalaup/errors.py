"""What can go wrong, and warnings."""

import warnings


class Error(Exception):
    """Ends an operation. ``hint`` says how to fix it, where we know."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message, hint)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\nhint: {self.hint}" if self.hint else self.message


class InputError(Error, ValueError):
    """A file, a label or a user."""


class ParameterError(Error, ValueError):
    """A setting."""


class StateError(Error, RuntimeError):
    """A call in the wrong order, or a state that cannot be served."""


class Cancelled(Error):
    """The operation was stopped."""


class DalaupWarning(UserWarning):
    """Something was left out or looks odd; the result stands."""


def warn(message: str) -> None:
    warnings.warn(message, DalaupWarning, stacklevel=3)
