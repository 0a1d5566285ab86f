package io.headgate.limit;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Reads what a {@link NumberWriter} wrote. Every method throws an {@link IllegalArgumentException}
 * if the bytes end early or can't have been written so. Not thread-safe.
 */
public final class NumberReader {
  private final byte[] bytes;
  private int at;

  /** Creates a reader of bytes, which must not be changed meanwhile. */
  public NumberReader(byte[] bytes) {
    this.bytes = bytes;
  }

  /** Returns the next integer. */
  public long next() {
    long rest = 0;
    for (int shift = 0; shift < Long.SIZE; shift += 7) {
      byte part = nextByte();
      if (shift == 63 && (part & 0xFE) != 0) break;
      rest |= (part & 0x7FL) << shift;
      if (part >= 0) return (rest >>> 1) ^ -(rest & 1);
    }
    throw new IllegalArgumentException("a number has more than 64 bits");
  }

  /** Returns the next integer, which is at least 1. */
  public long positive() {
    long number = next();
    Bounds.require(number >= 1, "a number must be at least 1, got %d", number);
    return number;
  }

  /** Returns the next integer, which counts elements of which each has at least one byte. */
  public int count() {
    long count = next();
    Bounds.require(
        count >= 0 && count <= Math.max(Share.MAX_WEIGHT, bytes.length), "not a count: %d", count);
    return (int) count;
  }

  /** Returns the integers of {@link NumberWriter#putAll}. */
  public long[] nextAll() {
    var numbers = new long[count()];
    for (int i = 0; i < numbers.length; i++) numbers[i] = next();
    return numbers;
  }

  /** Returns the next double. */
  public double nextDouble() {
    long bits = 0;
    for (int i = 0; i < Double.BYTES; i++) bits |= (nextByte() & 0xFFL) << (8 * i);
    return Double.longBitsToDouble(bits);
  }

  /** Returns the bytes of {@link NumberWriter#put(byte[])}. */
  public byte[] nextBytes() {
    long count = next();
    Bounds.require(
        count >= 0 && count <= bytes.length - at, "the bytes end early: %d are missing", count);
    at += (int) count;
    return Arrays.copyOfRange(bytes, at - (int) count, at);
  }

  /** Returns the text of {@link NumberWriter#put(String)}. */
  public String text() {
    try {
      CharBuffer text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(nextBytes()));
      return text.toString();
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException("not a text in UTF-8", e);
    }
  }

  /** Returns whether there is more to read. */
  public boolean hasMore() {
    return at < bytes.length;
  }

  /** Requires that all was read. */
  public void end() {
    Bounds.require(at == bytes.length, "%d bytes follow the last number", bytes.length - at);
  }

  private byte nextByte() {
    Bounds.require(at < bytes.length, "the bytes end after %d", at);
    return bytes[at++];
  }
}
