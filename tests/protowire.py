"""Protobuf's wire format: fields written, and read back without a schema."""
import struct


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


def field(number, value):
    """One field: int, float (double), str or bytes (a message)."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, float):
        return varint(number << 3 | 1) + struct.pack("<d", value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def varint_at(raw, at):
    """Return the number at a place, and the place after it."""
    if raw[at] < 128:
        return raw[at], at + 1
    value = shift = 0
    while True:
        value |= (raw[at] & 127) << shift
        at, shift = at + 1, shift + 7
        if raw[at - 1] < 128:
            return value, at


def fields(raw):
    """Yield (number, value) of each field: a number, 8 bytes as a number, or bytes."""
    at = 0
    while at < len(raw):
        key, at = varint_at(raw, at)
        if key & 7 == 0:
            value, at = varint_at(raw, at)
        elif key & 7 == 1:
            value, at = struct.unpack_from("<Q", raw, at)[0], at + 8
        else:
            assert key & 7 == 2, f"wire type {key & 7}"
            size, at = varint_at(raw, at)
            value, at = raw[at:at + size], at + size
        yield key >> 3, value


def firsts(raw):
    """Return {number: value} of the first field of each number."""
    found = {}
    for number, value in fields(raw):
        found.setdefault(number, value)
    return found
