package io.headgate.internal.script;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Writes one MessagePack array of integers and strings, the argument of the script. Not
 * thread-safe.
 *
 * <p>Not a library, since only three types of the format are needed and every request passes here.
 */
final class MessagePackWriter {
  private static final int ARRAY = 0xdd; // with a length of 4 bytes, filled in at the end

  private static final int START = 5;

  private byte[] bytes = new byte[512];
  private int length = START;
  private int count;

  /** Appends an integer. */
  MessagePackWriter put(long number) {
    count++;
    if (number >= 0 && number < 128) {
      ensureCapacity(1);
      bytes[length++] = (byte) number;
    } else if (number >= 0 && number < 1 << 16) {
      writeType(0xcd, 2);
      ByteBuffer.wrap(bytes, length, 2).putShort((short) number);
      length += 2;
    } else if (number >= 0 && number < 1L << 32) {
      writeType(0xce, 4);
      ByteBuffer.wrap(bytes, length, 4).putInt((int) number);
      length += 4;
    } else {
      writeType(0xd3, 8);
      ByteBuffer.wrap(bytes, length, 8).putLong(number);
      length += 8;
    }
    return this;
  }

  /** Appends a string of at most 255 bytes of UTF-8. */
  MessagePackWriter put(String text) {
    count++;
    var utf8 = text.getBytes(StandardCharsets.UTF_8);
    writeType(0xd9, utf8.length + 1);
    bytes[length++] = (byte) utf8.length;
    System.arraycopy(utf8, 0, bytes, length, utf8.length);
    length += utf8.length;
    return this;
  }

  /** Appends all elements of another array. */
  MessagePackWriter put(MessagePackWriter other) {
    count += other.count;
    ensureCapacity(other.length - START);
    System.arraycopy(other.bytes, START, bytes, length, other.length - START);
    length += other.length - START;
    return this;
  }

  /** Returns the encoded array. */
  byte[] array() {
    bytes[0] = (byte) ARRAY;
    ByteBuffer.wrap(bytes, 1, 4).putInt(count);
    return Arrays.copyOf(bytes, length);
  }

  private void writeType(int type, int following) {
    ensureCapacity(1 + following);
    bytes[length++] = (byte) type;
  }

  private void ensureCapacity(int more) {
    if (length + more > bytes.length) bytes = Arrays.copyOf(bytes, (length + more) * 2);
  }
}
