package io.headgate.server.http.transport;

import io.netty.buffer.ByteBuf;
import io.netty.util.AsciiString;
import java.util.Arrays;

/**
 * Composes the head of one response at a time in an array that is reused: a write of a few bytes
 * into an array costs a fraction of one into a direct buffer. Confined to its event loop.
 */
final class HeadBuffer {
  private static final int INITIAL_BYTES = 1024; // the head of a decision has about 300
  private static final int MAX_KEPT_BYTES = 16 * 1024;

  private byte[] bytes = new byte[INITIAL_BYTES];
  private int length;

  /** Begins the next head. */
  void clear() {
    length = 0;
    if (bytes.length > MAX_KEPT_BYTES) bytes = new byte[INITIAL_BYTES];
  }

  int length() {
    return length;
  }

  /** Appends a text as Netty encodes it: characters beyond Latin-1 become question marks. */
  void append(CharSequence text) {
    int size = text.length();
    reserve(size);
    if (text instanceof AsciiString ascii) {
      System.arraycopy(ascii.array(), ascii.arrayOffset(), bytes, length, size);
    } else {
      for (int i = 0; i < size; i++) bytes[length + i] = AsciiString.c2b(text.charAt(i));
    }
    length += size;
  }

  /** Appends two ASCII characters. */
  void append(char first, char second) {
    reserve(2);
    bytes[length++] = (byte) first;
    bytes[length++] = (byte) second;
  }

  private void reserve(int more) {
    if (bytes.length - length < more) bytes = Arrays.copyOf(bytes, 2 * bytes.length + more);
  }

  /** Copies the head to a buffer. */
  void writeTo(ByteBuf out) {
    out.writeBytes(bytes, 0, length);
  }
}
