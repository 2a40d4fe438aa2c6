"""A request to the relay, and its outcome.

The head of relay/frames.c describes the frames.
"""
from . import _values

ENDED = "the connection to the servers has ended"
MEMORY = "not enough memory for the answer: request less"
CHILD = ("only the first process of the code can call servers, not a child "
         "of it: make the call there and pass the result on")
NESTED = ("a signal handler cannot call a server while the code that it "
          "interrupts waits for one")
NEW, QUEUED, SENT, DONE = range(4)
NEXT = 0  # stands for the next run frame of a session, which has no number
ASKING = b'{"type":"rpc_request","id":%d,"payload":%s}\n'
CANCELLING = b'{"type":"cancel","id":%d}\n'


class Refused(Exception):
    """What a request came to when it was no answer.

    error is the JSON-RPC error object of the server, if there is one; unfit
    says that the arguments do not fit the schema of the tool.
    """

    def __init__(self, message, error=None, unfit=False):
        super().__init__(message)
        self.message, self.unfit = message, unfit
        self.error = error if isinstance(error, dict) else {}


class Request:
    """One request: its bytes, its callers, and its answer or failure.

    alone says that only one call needs it.  Of a list of tools there are also
    its number, whether a remembered one will do (see State), and whether
    another caller took the answer (kept).
    """

    __slots__ = ("payload", "state", "line", "failure", "wakes",
                 "kept", "alone", "number", "remembered")

    def __init__(self, payload, alone=False):
        self.payload, self.state = payload, NEW
        self.alone = alone
        self.line = self.failure = None
        self.wakes = []

    def finish(self, line, failure=None):
        """Take the answer and wake its callers."""
        self.line, self.failure = line, failure
        self.state, self.payload = DONE, None
        for wake in self.wakes:
            wake()

    def answer(self, read=_values.read):
        """Return the payload of the answer; raises Refused."""
        if self.failure:
            raise Refused(self.failure)
        try:
            frame = read(self.line.decode())
            if frame["success"]:
                return frame["payload"]
            error = frame["error"]
            message, cause = error["message"], error.get("error")
            unfit = error.get("unfit", False)
        except MemoryError:
            raise Refused(MEMORY) from None
        except (AttributeError, LookupError, RecursionError, TypeError,
                ValueError) as error:
            raise Refused("Python cannot read the answer (%s: %s)" % (
                type(error).__name__, error)) from None
        raise Refused(message, cause, unfit)


class Frame:
    """Bytes on their way into the pipe, and what write() took of them.

    request, number: what they ask, and its number; None: they have no answer.
    """

    __slots__ = ("number", "request", "data", "counts")

    def __init__(self, data, number=None, request=None):
        self.number, self.request, self.counts = number, request, []
        self.data = memoryview(data)

    @classmethod
    def asking(cls, number, request):
        """Return the frame of a request."""
        return cls(ASKING % (number, request.payload), number, request)

    @classmethod
    def cancelling(cls, number):
        """Return one that says that no caller waits for that request."""
        return cls(CANCELLING % number)
