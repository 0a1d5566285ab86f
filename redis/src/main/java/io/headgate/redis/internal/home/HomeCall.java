package io.headgate.redis.internal.home;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A call of an instance of another region to home, as bytes: a version, the operation, the longest
 * lease of the caller in microseconds, the keys without the prefix of home, and an argument.
 * Immutable.
 *
 * @param operation what home does
 * @param lease the longest lease of the caller, in microseconds
 * @param keys the keys, each of which begins with a hash tag; the id of the instance for a report
 * @param argument a batch, or the report
 */
@SuppressWarnings("ArrayRecordComponent") // is not compared
public record HomeCall(Operation operation, long lease, List<String> keys, byte[] argument) {
  /** The highest number of bytes of a call: 128 commands of 64 charges with long keys. */
  public static final int MAX_BYTES = 1 << 20;

  private static final byte VERSION = 1;
  private static final int MAX_KEYS = 8_192;
  private static final int MAX_KEY_BYTES = 2_048;

  /** The operations. */
  public enum Operation {
    /** Evaluates a batch behind the guard of {@code home-guard.lua}. */
    GUARDED,
    /** Evaluates a batch of rules that are decided at home. */
    STRICT,
    /** Opens a home that has started again. */
    HEARTBEAT,
    /** Deletes a counter. */
    RESET,
    /** Publishes that permits of a counter were returned. */
    RETURNED,
    /** Publishes the report of an instance, and returns those of all. */
    REPORT
  }

  private static final List<Operation> CODES =
      List.of(
          Operation.GUARDED,
          Operation.STRICT,
          Operation.HEARTBEAT,
          Operation.RESET,
          Operation.RETURNED,
          Operation.REPORT);

  /** Returns the call as bytes, which {@link #parse} reads. */
  public byte[] bytes() {
    var names = keys.stream().map(key -> key.getBytes(StandardCharsets.UTF_8)).toList();
    int length = 12 + argument.length;
    for (var name : names) length += 2 + name.length;
    var out = ByteBuffer.allocate(length);
    out.put(VERSION)
        .put((byte) CODES.indexOf(operation))
        .putLong(lease)
        .putShort((short) names.size());
    for (var name : names) out.putShort((short) name.length).put(name);
    return out.put(argument).array();
  }

  /**
   * Reads a call.
   *
   * @throws IllegalArgumentException if the bytes are no call of this version
   */
  static HomeCall parse(byte[] bytes) {
    require(bytes.length <= MAX_BYTES, "it is too long");
    var in = ByteBuffer.wrap(bytes);
    try {
      require(in.get() == VERSION, "its version is not " + VERSION);
      int code = in.get();
      require(code >= 0 && code < CODES.size(), "its operation is unknown");
      long lease = in.getLong();
      int count = Short.toUnsignedInt(in.getShort());
      require(lease > 0 && count <= MAX_KEYS, "a number is out of range");
      var keys = new ArrayList<String>(count);
      for (int i = 0; i < count; i++) {
        int length = Short.toUnsignedInt(in.getShort());
        require(length <= MAX_KEY_BYTES && length <= in.remaining(), "a key is too long");
        var key = new byte[length];
        in.get(key);
        keys.add(new String(key, StandardCharsets.UTF_8));
      }
      var argument = new byte[in.remaining()];
      in.get(argument);
      return new HomeCall(CODES.get(code), lease, List.copyOf(keys), argument);
    } catch (BufferUnderflowException e) {
      throw new IllegalArgumentException("a call to home is malformed: it ends early", e);
    }
  }

  private static void require(boolean condition, String problem) {
    if (!condition) throw new IllegalArgumentException("a call to home is malformed: " + problem);
  }
}
