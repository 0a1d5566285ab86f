package io.headgate.http;

import java.util.Arrays;

/**
 * Composes the values of header fields one after the other in one array, which grows. A value that
 * has been passed on is not changed afterwards. Not thread-safe.
 */
final class FieldComposer {
  private static final int INITIAL_BYTES = 160; // enough for the fields of one limit

  private final RateLimitFields.Receiver receiver;
  private byte[] bytes = new byte[INITIAL_BYTES];
  private int start; // of the current value
  private int length;

  FieldComposer(RateLimitFields.Receiver receiver) {
    this.receiver = receiver;
  }

  /** Returns whether nothing has been appended to the current value. */
  boolean isEmpty() {
    return length == start;
  }

  /** Appends a text, of which characters beyond Latin-1 become question marks. */
  FieldComposer append(String text) {
    int size = text.length();
    reserve(size);
    var to = bytes;
    int at = length;
    for (int i = 0; i < size; i++) {
      char c = text.charAt(i);
      to[at + i] = (byte) (c > 0xff ? '?' : c);
    }
    length = at + size;
    return this;
  }

  FieldComposer append(char ascii) {
    reserve(1);
    bytes[length++] = (byte) ascii;
    return this;
  }

  FieldComposer append(long number) {
    reserve(DecimalText.MAX_LENGTH);
    length = DecimalText.write(number, bytes, length);
    return this;
  }

  private void reserve(int more) {
    if (bytes.length - length < more) bytes = Arrays.copyOf(bytes, 2 * bytes.length + more);
  }

  /** Passes the current value on, unless it is empty, and begins the next one. */
  void end(RateLimitField field) {
    if (isEmpty()) return;
    receiver.accept(field, bytes, start, length - start);
    start = length;
  }
}
