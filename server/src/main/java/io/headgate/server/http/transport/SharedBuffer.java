package io.headgate.server.http.transport;

import io.netty.buffer.Unpooled;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.buffer.BufferInternal;

/**
 * A constant body that all answers share: however many of them wait for slow clients, its bytes are
 * in memory once. They are outside the heap, so that sockets take them without a copy.
 */
public final class SharedBuffer {
  private final Buffer buffer;

  public SharedBuffer(byte[] bytes) {
    var direct = Unpooled.directBuffer(Math.max(1, bytes.length)).writeBytes(bytes);
    this.buffer = BufferInternal.buffer(Unpooled.unreleasableBuffer(direct.asReadOnly()));
  }

  /** To be written, never to be changed. */
  Buffer buffer() {
    return buffer;
  }
}
