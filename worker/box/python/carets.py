"""Removes carets without information from a traceback.

The interpreter underlines the part of a line that failed.  If that is most of
the line, as in "r = await ...", the carets only make the answer longer.
Run by report.py, only when an error has ended the code.
"""
LEAST = 20  # carets; fewer cost little
MOST = 0.6  # of a line, where they still point at something


class Carets:
    """sys.stderr while the interpreter shows an error.

    Everything is written to the stream that it stands for, line by line.
    """

    def __init__(self, stream):
        self.stream, self.line, self.above = stream, "", ""

    def write(self, text):
        """Write all lines that are whole."""
        *lines, self.line = (self.line + text).split("\n")
        for line in lines:
            if not says_nothing(line, self.above):
                self.stream.write(line + "\n")
            self.above = line
        return len(text)

    def flush(self):
        """Write what is left, too."""
        line, self.line = self.line, ""
        if line:
            self.stream.write(line)
        self.stream.flush()

    def __getattr__(self, name):
        """Return what the stream has."""
        return getattr(self.stream, name)


def says_nothing(line, above):
    """Whether a line has only carets, and underlines most of the one above.
    """
    carets = line.strip(" ")
    return (len(carets) >= LEAST and carets.strip("^") == ""
            and len(carets) >= MOST * len(above.strip()))
