"""JSON-RPC 2.0: a frame to the calls in it, results and errors to bytes.

Nothing here raises on what a peer sent. The decisions where the specification leaves room:

- ``params: null`` is the same as no params (several clients write it so).
- The reply to a request that is invalid carries its id all the same, when it has a usable one.
- Of a member given twice the last counts. Unknown members are ignored.
- Positional params are valid JSON-RPC; no method here takes them, so `guardd.protocol.methods` refuses them.
- A batch of more than `MAX_BATCH` members is one invalid request, and none of it is carried out.
- Names beginning with ``rpc.`` need no rule: all but ``rpc.discover`` are methods that do not exist.
"""

from collections.abc import Sequence
from typing import Literal

import msgspec

from guardd.protocol import splitter
from guardd.protocol.errors import InvalidRequest, ParseError, RpcError

MAX_BATCH = 100
_NULL = b"null"
_WHITESPACE = b" \t\n\r"
# A list of raw elements costs a hundred bytes for each, and a frame of 16 MB could hold eight million. With
# at most this many commas a frame is split at once; otherwise by the splitter, which stops at MAX_BATCH.
_COMMAS_SPLIT_AT_ONCE = 50_000


class Request(msgspec.Struct, frozen=True, gc=False):
    """A call to carry out.

    Attributes:
        id: The JSON text of the id, to be sent back as it is; None for a notification, which is not
            answered.
        method: The method's name; need not be known.
        params: The JSON text of the params, an object or an array; None where absent.
    """

    id: bytes | None
    method: str
    params: bytes | None


class Rejected(msgspec.Struct, frozen=True):
    """What could not be read as a call, and the error to answer.

    Attributes:
        id: The JSON text of the id to answer with, ``null`` where none could be made out.
        error: The answer.
    """

    id: bytes
    error: RpcError


class Message(msgspec.Struct, frozen=True):
    """What one frame asks for.

    Attributes:
        calls: In the order sent; never empty.
        batch: Whether the answers are to be sent as one array.
    """

    calls: list[Request | Rejected]
    batch: bool


class _Envelope(msgspec.Struct, gc=False):
    jsonrpc: Literal["2.0"]
    method: str
    id: msgspec.Raw = msgspec.Raw()
    params: msgspec.Raw = msgspec.Raw()


_envelope = msgspec.json.Decoder(_Envelope)
_raw_elements = msgspec.json.Decoder(list[msgspec.Raw])
_encoder = msgspec.json.Encoder()


def read(frame: bytes) -> Message:
    """The calls of one frame; what is wrong with it stands in the place of the call. Never raises."""
    try:
        if not frame.isascii():
            frame.decode()  # the decoder does not look at the encoding of what it leaves raw
        frame = frame.strip(_WHITESPACE)
        if frame.startswith(b"["):
            return _read_batch(frame)
        return Message([_read_call(frame)], batch=False)
    except UnicodeDecodeError:
        return _refusal(ParseError("the message is not valid UTF-8"))
    except RpcError as error:
        return _refusal(error)


def _refusal(error: RpcError) -> Message:
    return Message([Rejected(_NULL, error)], batch=False)


def _read_batch(frame: bytes) -> Message:
    too_many = InvalidRequest(f"a batch holds at most {MAX_BATCH} calls")
    try:
        elements = _elements(frame)
    except splitter.TooManyElements:
        return _refusal(too_many)
    if not elements:
        return _refusal(InvalidRequest("a batch holds at least one call"))
    if len(elements) > MAX_BATCH:
        return _refusal(too_many)
    return Message([_read_call(element) for element in elements], batch=True)


def _elements(frame: bytes) -> list[bytes]:
    if frame.count(b",") <= _COMMAS_SPLIT_AT_ONCE:
        try:
            return [bytes(element) for element in _raw_elements.decode(frame)]
        except (msgspec.DecodeError, RecursionError):
            pass
    return splitter.elements(frame, MAX_BATCH)


def _read_call(data: bytes) -> Request | Rejected:
    try:
        envelope = _envelope.decode(data)
    except (msgspec.DecodeError, RecursionError):
        return _read_call_slowly(data)
    return _call(bytes(envelope.id), envelope.method, bytes(envelope.params))


def _read_call_slowly(data: bytes) -> Request | Rejected:
    """Read what the decoder refused: an invalid request, or one that only the splitter can cut.

    Raises:
        ParseError: It is not valid JSON.
    """
    if not data.startswith(b"{"):
        splitter.check(data)
        return Rejected(_NULL, InvalidRequest("a request is a JSON object"))
    members = splitter.members(data)
    call_id = members.get("id", b"")
    if members.get("jsonrpc", b"")[:1] != b'"' or splitter.text(members["jsonrpc"]) != "2.0":
        return _invalid(call_id, 'the member "jsonrpc" must be "2.0"')
    method = members.get("method", b"")
    if not method:
        return _invalid(call_id, 'the member "method" is missing')
    if not method.startswith(b'"'):
        return _invalid(call_id, 'the member "method" must be a string')
    return _call(call_id, splitter.text(method), members.get("params", b""))


def _call(call_id: bytes, method: str, params: bytes) -> Request | Rejected:
    """A request of members that are valid JSON each, empty where absent."""
    if call_id and call_id[0] not in b'"-0123456789n':
        return _invalid(call_id, "an id is a string, a number or null")
    if not params or params == _NULL:
        return Request(call_id or None, method, None)
    if params[0] not in b"{[":
        return _invalid(call_id, 'the member "params" must be an object')
    return Request(call_id or None, method, params)


def _invalid(call_id: bytes, why: str) -> Rejected:
    usable = call_id and call_id[0] in b'"-0123456789'
    return Rejected(call_id if usable else _NULL, InvalidRequest(why))


def encode(value: object) -> bytes:
    """The JSON text of a result (or of anything made of structs and plain values)."""
    return _encoder.encode(value)


def success(call_id: bytes, result: bytes) -> bytes:
    """The reply to a request that succeeded.

    Args:
        call_id: The request's id as it came.
        result: The JSON text of the result.
    """
    return b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (call_id, result)


def failure(call_id: bytes, error: RpcError) -> bytes:
    """The reply to a request that failed; ``b"null"`` is the id where none is known."""
    return b'{"jsonrpc":"2.0","id":%b,"error":%b}' % (call_id, _encoder.encode(error.to_wire()))


def notification(method: str, params: object) -> bytes:
    """A message that nobody answers, such as an ``event``.

    Args:
        method: Its name.
        params: A struct or plain values.
    """
    return b'{"jsonrpc":"2.0","method":%b,"params":%b}' % (_encoder.encode(method), _encoder.encode(params))


def frame(messages: Sequence[bytes], *, batch: bool = False) -> bytes:
    """The bytes to write: one line with the replies to one message.

    Args:
        messages: The replies (one, unless to a batch). Empty where nothing is answered and written.
        batch: Whether the message was a batch.
    """
    if not messages:
        return b""
    if batch:
        return b"[%b]\n" % b",".join(messages)
    (message,) = messages
    return message + b"\n"
