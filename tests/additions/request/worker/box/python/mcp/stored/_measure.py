"""An example of a request of the code: the store measures a text."""
from ._memory import ask


def measure(text):
    """Return the length of text in bytes, as the store has received it."""
    return ask("measure_text", {"text": text})
