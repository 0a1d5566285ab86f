package io.headgate.redis.internal.home;

import io.headgate.store.StoreException;
import io.headgate.store.StoreException.Kind;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The reply of home to a {@link HomeCall}, as bytes: a list of byte strings, or the failure of
 * home's Redis. So the caller knows as much of a failure as home does: whether the call may have
 * been executed.
 */
final class HomeReply {
  private static final byte LIST = 0;
  private static final byte FAILED = 1;
  private static final byte FAILED_UNSENT = 2;
  private static final int MAX_MESSAGE = 1_000;

  private static final List<Kind> KINDS =
      List.of(
          Kind.TIMEOUT,
          Kind.CONNECTION,
          Kind.REFUSED,
          Kind.OVERLOADED,
          Kind.INTERRUPTED,
          Kind.OTHER);

  /** Returns a reply as bytes. */
  static byte[] of(List<byte[]> values) {
    var bytes = new ByteArrayOutputStream();
    var out = new DataOutputStream(bytes);
    try {
      out.writeByte(LIST);
      for (var value : values) {
        out.writeInt(value.length);
        out.write(value);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  /** Returns a failure as bytes. */
  static byte[] of(StoreException failure) {
    var message = String.valueOf(failure.getMessage());
    var text =
        message
            .substring(0, Math.min(MAX_MESSAGE, message.length()))
            .getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(2 + text.length)
        .put(failure.isUnsent() ? FAILED_UNSENT : FAILED)
        .put((byte) KINDS.indexOf(failure.kind()))
        .put(text)
        .array();
  }

  /**
   * Reads a reply.
   *
   * @throws StoreException if home's Redis failed, or the bytes are no reply
   */
  static List<byte[]> read(byte[] bytes) {
    var in = ByteBuffer.wrap(bytes);
    try {
      int type = in.get();
      if (type == LIST) return values(in);
      if (type != FAILED && type != FAILED_UNSENT) throw malformed();
      int kind = in.get();
      if (kind < 0 || kind >= KINDS.size()) throw malformed();
      var message = new String(bytes, in.position(), in.remaining(), StandardCharsets.UTF_8);
      var failure = new StoreException(KINDS.get(kind), "home: " + message, null);
      throw type == FAILED_UNSENT ? failure.unsent() : failure;
    } catch (BufferUnderflowException e) {
      throw malformed();
    }
  }

  private static List<byte[]> values(ByteBuffer in) {
    var values = new ArrayList<byte[]>();
    while (in.hasRemaining()) {
      int length = in.getInt();
      if (length < 0 || length > in.remaining()) throw malformed();
      var value = new byte[length];
      in.get(value);
      values.add(value);
    }
    return values;
  }

  private static StoreException malformed() {
    return new StoreException(
        Kind.OTHER, "the reply of home is malformed; use the same version in all regions", null);
  }

  private HomeReply() {}
}
