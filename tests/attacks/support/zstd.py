"""Frames of zstd, written by hand (RFC 8878), because the standard library cannot make them."""

MAGIC = b"\x28\xb5\x2f\xfd"
LARGEST_BLOCK = 128 * 1024
RAW, REPEATED = 0, 1


def header(window_log: int) -> bytes:
    """The head of a frame without a size, whose decoder must keep a window of 2^window_log bytes."""
    descriptor = 0
    window = (window_log - 10) << 3
    return MAGIC + bytes([descriptor, window])


def raw_block(content: bytes, last: bool) -> bytes:
    return _block_head(RAW, len(content), last) + content


def repeated_block(byte: bytes, count: int, last: bool) -> bytes:
    """A block of one byte again and again: four bytes that become up to 128 KiB."""
    return _block_head(REPEATED, count, last) + byte


def raw_frame(content: bytes, window_log: int) -> bytes:
    parts = [content[at : at + 65536] for at in range(0, len(content), 65536)] or [b""]
    blocks = [raw_block(part, number == len(parts) - 1) for number, part in enumerate(parts)]
    return header(window_log) + b"".join(blocks)


def repeated_bytes(byte: bytes, total: int) -> bytes:
    """Blocks without a last one, for a body that stays open."""
    return repeated_block(byte, LARGEST_BLOCK, False) * (total // LARGEST_BLOCK)


def _block_head(kind: int, size: int, last: bool) -> bytes:
    return (size << 3 | kind << 1 | int(last)).to_bytes(3, "little")
