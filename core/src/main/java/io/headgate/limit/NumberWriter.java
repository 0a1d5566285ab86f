package io.headgate.limit;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Writes integers of variable length (zigzag and LEB128), doubles and short texts. {@link
 * NumberReader} reads them. Not thread-safe.
 */
public final class NumberWriter {
  private static final int MAX_BYTES = 10; // of a number

  private byte[] bytes = new byte[48];
  private int length;

  /** Creates a writer of nothing. */
  public NumberWriter() {}

  /** Appends an integer: 1 byte if it is small, 8 for a time in microseconds. */
  public NumberWriter put(long number) {
    ensureCapacity(MAX_BYTES);
    long rest = (number << 1) ^ (number >> 63);
    while ((rest & ~0x7FL) != 0) {
      bytes[length++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    bytes[length++] = (byte) rest;
    return this;
  }

  /** Appends the number of integers, then these. */
  public NumberWriter putAll(long... numbers) {
    put(numbers.length);
    for (long number : numbers) put(number);
    return this;
  }

  /** Appends a double. */
  public NumberWriter put(double number) {
    ensureCapacity(Double.BYTES);
    long bits = Double.doubleToLongBits(number);
    for (int i = 0; i < Double.BYTES; i++) bytes[length++] = (byte) (bits >>> (8 * i));
    return this;
  }

  /** Appends bytes, with their number. */
  public NumberWriter put(byte[] array) {
    put(array.length);
    ensureCapacity(array.length);
    System.arraycopy(array, 0, bytes, length, array.length);
    length += array.length;
    return this;
  }

  /** Appends a text. */
  public NumberWriter put(String text) {
    return put(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Returns all that was written. */
  public byte[] toByteArray() {
    return Arrays.copyOf(bytes, length);
  }

  private void ensureCapacity(int more) {
    if (length + more > bytes.length) bytes = Arrays.copyOf(bytes, (length + more) * 2);
  }
}
