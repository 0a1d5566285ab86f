package io.headgate.redis.internal.script;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Writes one MessagePack array of integers and texts, which is all that the script takes.
 *
 * <p>Our own, because that is three of the format's types, and the batch is on every request's way.
 */
public final class MessagePackWriter {
  private static final int ARRAY = 0xdd; // with a length of 4 bytes, filled in at the end

  private static final int START = 5;

  private byte[] bytes = new byte[512];
  private int length = START;
  private int count;

  public MessagePackWriter put(long number) {
    count++;
    if (number >= 0 && number < 128) {
      room(1);
      bytes[length++] = (byte) number;
    } else if (number >= 0 && number < 1 << 16) {
      head(0xcd, 2);
      ByteBuffer.wrap(bytes, length, 2).putShort((short) number);
      length += 2;
    } else if (number >= 0 && number < 1L << 32) {
      head(0xce, 4);
      ByteBuffer.wrap(bytes, length, 4).putInt((int) number);
      length += 4;
    } else {
      head(0xd3, 8);
      ByteBuffer.wrap(bytes, length, 8).putLong(number);
      length += 8;
    }
    return this;
  }

  /** At most 255 bytes of text. */
  public MessagePackWriter put(String text) {
    count++;
    var utf8 = text.getBytes(StandardCharsets.UTF_8);
    head(0xd9, utf8.length + 1);
    bytes[length++] = (byte) utf8.length;
    System.arraycopy(utf8, 0, bytes, length, utf8.length);
    length += utf8.length;
    return this;
  }

  public MessagePackWriter put(MessagePackWriter others) {
    count += others.count;
    room(others.length - START);
    System.arraycopy(others.bytes, START, bytes, length, others.length - START);
    length += others.length - START;
    return this;
  }

  public byte[] array() {
    bytes[0] = (byte) ARRAY;
    ByteBuffer.wrap(bytes, 1, 4).putInt(count);
    return Arrays.copyOf(bytes, length);
  }

  private void head(int type, int following) {
    room(1 + following);
    bytes[length++] = (byte) type;
  }

  private void room(int more) {
    if (length + more > bytes.length) bytes = Arrays.copyOf(bytes, (length + more) * 2);
  }
}
