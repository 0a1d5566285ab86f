package io.headgate.server.http.transport;

import io.netty.buffer.Unpooled;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.buffer.BufferInternal;

/**
 * A constant body that all responses share: its bytes are in memory once, however many responses
 * wait for slow clients. The bytes are off-heap, so that sockets send them without a copy.
 * Thread-safe.
 */
public final class SharedBuffer {
  private final Buffer buffer;

  /** Copies the bytes. */
  public SharedBuffer(byte[] bytes) {
    var direct = Unpooled.directBuffer(Math.max(1, bytes.length)).writeBytes(bytes);
    this.buffer = BufferInternal.buffer(Unpooled.unreleasableBuffer(direct.asReadOnly()));
  }

  /** Returns the buffer, which is read-only. */
  Buffer buffer() {
    return buffer;
  }
}
