package io.headgate.internal.script;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Reads the MessagePack array of integers and strings that {@link MessagePackWriter} wrote, and
 * nothing else. Not thread-safe.
 */
final class BatchReader {
  private static final int ARRAY = 0xdd;

  /** No batch has more elements: it bounds the time for which a server evaluates one. */
  private static final int MAX_ELEMENTS = 1 << 20;

  private final ByteBuffer in;
  private int left;

  /**
   * Creates a reader.
   *
   * @throws IllegalArgumentException if the bytes are no such array
   */
  BatchReader(byte[] array) {
    in = ByteBuffer.wrap(array);
    require(array.length > 5 && Byte.toUnsignedInt(in.get()) == ARRAY, "not an array");
    left = in.getInt();
    require(left > 0 && left <= MAX_ELEMENTS && left <= array.length, "not a number of elements");
  }

  boolean hasMore() {
    require(left > 0 || !in.hasRemaining(), "bytes after the last element");
    return left > 0;
  }

  /** Reads an integer. A text is none: the Lua code of Redis does not compare it as a number. */
  long number() {
    int type = next();
    if (type < 0x80) return type;
    return switch (type) {
      case 0xcd -> Short.toUnsignedLong(in.getShort());
      case 0xce -> Integer.toUnsignedLong(in.getInt());
      case 0xd3 -> in.getLong();
      default -> throw new IllegalArgumentException("not a number: " + type);
    };
  }

  /** Reads a number of further elements, or an index that starts at 1. */
  int count() {
    long count = number();
    require(count >= 0 && count <= MAX_ELEMENTS, "not a count");
    return (int) count;
  }

  /** Reads 0 or 1. */
  boolean flag() {
    long flag = number();
    require(flag == 0 || flag == 1, "not a flag");
    return flag == 1;
  }

  /** Reads an integer of 64 bits, which is encoded as text since a double has 53. */
  long holder() {
    var text = text();
    long holder = Long.parseLong(text);
    require(text.equals(Long.toString(holder)), "not a holder");
    return holder;
  }

  String text() {
    require(next() == 0xd9, "not a text");
    return readText();
  }

  private int next() {
    require(left-- > 0, "the batch ends early");
    return Byte.toUnsignedInt(in.get());
  }

  private String readText() {
    var text = new byte[Byte.toUnsignedInt(in.get())];
    in.get(text);
    return new String(text, StandardCharsets.UTF_8);
  }

  private static void require(boolean condition, String problem) {
    if (!condition) throw new IllegalArgumentException("a batch is malformed: " + problem);
  }
}
