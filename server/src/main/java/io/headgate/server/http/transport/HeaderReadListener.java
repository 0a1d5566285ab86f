package io.headgate.server.http.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.impl.HttpServerConnection;

/**
 * Reports bytes that come on a connection of HTTP/1, which Vert.x does not until they are a whole
 * head, and takes memory of the budget for heads that are not whole yet. HTTP/2 has none of it: its
 * bytes may be pings, and its frames are bounded otherwise.
 */
final class HeaderReadListener extends ChannelInboundHandlerAdapter {
  /** Bytes of memory for each byte of a head: three of them can make a header of 136. */
  static final long WEIGHT = 48;

  /** The rest of what is known of the connection. */
  interface Listener {
    /** Is called before the bytes are decoded. */
    void reads(int bytes);

    /** Whether a head has begun and was not whole with the bytes decoded so far. */
    boolean isHeadUnfinished();
  }

  private final MemoryBudget budget;
  private final Listener listener;
  private long held;

  private HeaderReadListener(MemoryBudget budget, Listener listener) {
    this.budget = budget;
    this.listener = listener;
  }

  static void watch(HttpConnection connection, MemoryBudget budget, Listener listener) {
    if (!(connection instanceof HttpServerConnection served)) return;
    var pipeline = served.channelHandlerContext().pipeline();
    var decoder = pipeline.context(HttpRequestDecoder.class);
    if (decoder == null) return;
    pipeline.addBefore(decoder.name(), "head-watch", new HeaderReadListener(budget, listener));
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    int bytes = message instanceof ByteBuf read ? read.readableBytes() : 0;
    listener.reads(bytes);
    context.fireChannelRead(message);
    if (listener.isHeadUnfinished()) hold(context, bytes * WEIGHT);
    else if (held > 0) end();
  }

  private void hold(ChannelHandlerContext context, long bytes) {
    if (budget.take(bytes)) held += bytes;
    else close(context);
  }

  private static void close(ChannelHandlerContext context) {
    var unused = context.close();
  }

  private void end() {
    budget.giveBack(held);
    held = 0;
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext context) {
    end();
  }
}
