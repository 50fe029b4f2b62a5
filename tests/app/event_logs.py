# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""Event files as other programs write them."""
import struct
import zlib

TABLE = []
for byte in range(256):
    for _ in range(8):
        byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
    TABLE.append(byte)


def masked_crc(content):
    crc = 0xFFFFFFFF
    for byte in content:
        crc = crc >> 8 ^ TABLE[(crc ^ byte) & 255]
    crc ^= 0xFFFFFFFF
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def record(content):
    length = struct.pack("<Q", len(content))
    return length + masked_crc(length) + content + masked_crc(content)


def varint(value):
    value &= (1 << 64) - 1
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def field(number, content):
    return varint(number << 3 | 2) + varint(len(content)) + content


def event(step, content, wall=1.5e9):
    return record(b"\x09" + struct.pack("<d", wall + step) + b"\x10" + varint(step) + content)


def version(number=2):
    return event(0, field(3, f"brain.Event:{number}".encode()))


def scalar(tag, step, value):
    return event(step, field(5, field(1, field(1, tag.encode())
                                      + b"\x15" + struct.pack("<f", value))))


def image(tag, step, width, height, png):
    """Of that size, as its summary says it."""
    content = b"\x08" + varint(height) + b"\x10" + varint(width) + b"\x18\x01" + field(4, png)
    return event(step, field(5, field(1, field(1, tag.encode()) + field(4, content))))


def gray_png(width, height):
    def chunk(kind, content):
        return (struct.pack(">I", len(content)) + kind + content
                + struct.pack(">I", zlib.crc32(kind + content)))
    rows = zlib.compress((b"\0" + b"\x80" * width) * height)
    return (b"\x89PNG\r\n\x1a\n"
            + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
            + chunk(b"IDAT", rows) + chunk(b"IEND", b""))


def restart(step):
    """A session log that says START."""
    return event(step, field(7, b"\x08\x01"))
