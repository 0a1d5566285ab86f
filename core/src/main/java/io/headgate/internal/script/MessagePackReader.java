package io.headgate.internal.script;

import java.nio.ByteBuffer;

/** Reads the MessagePack array of integers that the script returns. Not thread-safe. */
final class MessagePackReader {
  private final ByteBuffer bytes;

  MessagePackReader(byte[] array) {
    bytes = ByteBuffer.wrap(array);
    int type = Byte.toUnsignedInt(bytes.get());
    if (type == 0xdc) bytes.getShort();
    else if (type == 0xdd) bytes.getInt();
    else if ((type & 0xf0) != 0x90) throw new IllegalStateException("not an array: " + type);
  }

  /** Returns the next integer. */
  long next() {
    int type = Byte.toUnsignedInt(bytes.get());
    if (type < 0x80) return type;
    if (type >= 0xe0) return (byte) type;
    return switch (type) {
      case 0xcc -> Byte.toUnsignedLong(bytes.get());
      case 0xcd -> Short.toUnsignedLong(bytes.getShort());
      case 0xce -> Integer.toUnsignedLong(bytes.getInt());
      case 0xcf, 0xd3 -> bytes.getLong();
      case 0xd0 -> bytes.get();
      case 0xd1 -> bytes.getShort();
      case 0xd2 -> bytes.getInt();
      default -> throw new IllegalStateException("not an integer: " + type);
    };
  }
}
