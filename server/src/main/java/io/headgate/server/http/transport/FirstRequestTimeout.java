package io.headgate.server.http.transport;

import io.headgate.http.ClientAddress;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.impl.ConnectionBase;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Closes a connection whose first request head is not complete in time, however slowly its bytes
 * arrive, and reserves memory of the budget for the bytes of that head.
 *
 * <p>With HTTP/2 over cleartext, Vert.x reports a connection only once its protocol is known, which
 * is with the head of the first request. Until then only this handler limits it.
 */
final class FirstRequestTimeout extends ChannelInboundHandlerAdapter {
  private final Duration timeout;
  private final MemoryBudget budget;
  private long held;
  private @Nullable Future<?> pendingClose;

  private FirstRequestTimeout(Duration timeout, MemoryBudget budget) {
    this.timeout = timeout;
    this.budget = budget;
  }

  /** Removes the handler from a connection that is tracked from now on. */
  static void remove(HttpConnection connection) {
    if (!(connection instanceof ConnectionBase known)) return;
    var pipeline = known.channel().pipeline();
    if (pipeline.get(FirstRequestTimeout.class) != null) pipeline.remove(FirstRequestTimeout.class);
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    pendingClose =
        context
            .executor()
            .schedule(() -> close(context), timeout.toMillis(), TimeUnit.MILLISECONDS);
  }

  private static void close(ChannelHandlerContext context) {
    var unused = context.close();
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    long weight =
        message instanceof ByteBuf read
            ? read.readableBytes() * HeaderReadListener.BYTES_PER_HEAD_BYTE
            : 0;
    context.fireChannelRead(message);
    if (context.isRemoved()) return; // the head was complete
    if (budget.reserve(weight)) held += weight;
    else close(context);
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext context) {
    if (pendingClose != null) pendingClose.cancel(false);
    budget.release(held);
    held = 0;
  }

  /**
   * Handles accepted connections: closes those that exceed a limit, and installs the handlers of
   * the others.
   */
  @Sharable
  static final class AcceptHandler extends ChannelInboundHandlerAdapter {
    private final ConnectionLimiter limiter;

    AcceptHandler(ConnectionLimiter limiter) {
      this.limiter = limiter;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object accepted) {
      if (accepted instanceof Channel channel) {
        var peer = ClientAddress.of(channel.remoteAddress());
        if (!limiter.tryAcquire(peer)) {
          channel.unsafe().closeForcibly();
          return;
        }
        channel.closeFuture().addListener(closed -> limiter.release(peer));
        channel
            .pipeline()
            .addLast(
                StreamErrorFilter.INSTANCE,
                new FirstRequestTimeout(limiter.limits().head(), limiter.budget()),
                new H2cUpgradeBlocker());
      }
      context.fireChannelRead(accepted);
    }
  }
}
