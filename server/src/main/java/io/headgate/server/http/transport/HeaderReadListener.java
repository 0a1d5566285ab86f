package io.headgate.server.http.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.impl.HttpServerConnection;

/**
 * Reports the bytes that arrive on an HTTP/1 connection, which Vert.x does not report until a head
 * is complete, and reserves memory of the budget for incomplete heads. Not needed for HTTP/2, whose
 * bytes may be pings and whose frames are bounded elsewhere.
 */
final class HeaderReadListener extends ChannelInboundHandlerAdapter {
  /** Bytes of memory for each byte of a head: a header of three bytes can take 136. */
  static final long BYTES_PER_HEAD_BYTE = 48;

  /** Is notified of bytes and reports the state of the connection. */
  interface Listener {
    /** Called before the bytes are decoded. */
    void onRead(int bytes);

    /** Returns whether a head has begun and is not complete with the bytes decoded so far. */
    boolean isHeadUnfinished();
  }

  private final MemoryBudget budget;
  private final Listener listener;
  private long held;

  private HeaderReadListener(MemoryBudget budget, Listener listener) {
    this.budget = budget;
    this.listener = listener;
  }

  /** Installs a listener on a connection; does nothing for HTTP/2. */
  static void install(HttpConnection connection, MemoryBudget budget, Listener listener) {
    if (!(connection instanceof HttpServerConnection served)) return;
    var pipeline = served.channelHandlerContext().pipeline();
    var decoder = pipeline.context(HttpRequestDecoder.class);
    if (decoder == null) return;
    pipeline.addBefore(decoder.name(), "head-watch", new HeaderReadListener(budget, listener));
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    int bytes = message instanceof ByteBuf read ? read.readableBytes() : 0;
    listener.onRead(bytes);
    context.fireChannelRead(message);
    if (listener.isHeadUnfinished()) hold(context, bytes * BYTES_PER_HEAD_BYTE);
    else if (held > 0) releaseAll();
  }

  private void hold(ChannelHandlerContext context, long bytes) {
    if (budget.reserve(bytes)) held += bytes;
    else close(context);
  }

  private static void close(ChannelHandlerContext context) {
    var unused = context.close();
  }

  private void releaseAll() {
    budget.release(held);
    held = 0;
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext context) {
    releaseAll();
  }
}
