package io.headgate.server.http.transport;

import io.headgate.server.api.ClientAddress;
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
 * Closes a connection on which no request has begun in time, however busily its bytes drip, and
 * takes memory of the budget for the bytes of its first head until that is whole.
 *
 * <p>Where HTTP/2 is spoken without TLS, Vert.x tells of a connection only once it knows its
 * protocol, which is with the head of the first request. Until then this is all that watches it.
 */
final class FirstRequestTimeout extends ChannelInboundHandlerAdapter {
  private final Duration within;
  private final MemoryBudget budget;
  private long held;
  private @Nullable Future<?> end;

  private FirstRequestTimeout(Duration within, MemoryBudget budget) {
    this.within = within;
    this.budget = budget;
  }

  /** From now on the connection is watched by others. */
  static void hasCome(HttpConnection connection) {
    if (!(connection instanceof ConnectionBase known)) return;
    var pipeline = known.channel().pipeline();
    if (pipeline.get(FirstRequestTimeout.class) != null) pipeline.remove(FirstRequestTimeout.class);
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    end =
        context.executor().schedule(() -> close(context), within.toMillis(), TimeUnit.MILLISECONDS);
  }

  private static void close(ChannelHandlerContext context) {
    var unused = context.close();
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    long weight =
        message instanceof ByteBuf read ? read.readableBytes() * HeaderReadListener.WEIGHT : 0;
    context.fireChannelRead(message);
    if (context.isRemoved()) return; // the head was whole
    if (budget.take(weight)) held += weight;
    else close(context);
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext context) {
    if (end != null) end.cancel(false);
    budget.giveBack(held);
    held = 0;
  }

  /**
   * Stands where connections are accepted: turns away those for which there is no place, and gives
   * each of the others its watch.
   */
  @Sharable
  static final class Doorman extends ChannelInboundHandlerAdapter {
    private final ConnectionLimiter door;

    Doorman(ConnectionLimiter door) {
      this.door = door;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object accepted) {
      if (accepted instanceof Channel channel) {
        var peer = ClientAddress.of(channel.remoteAddress());
        if (!door.enter(peer)) {
          channel.unsafe().closeForcibly();
          return;
        }
        channel.closeFuture().addListener(closed -> door.leave(peer));
        channel
            .pipeline()
            .addLast(
                StreamErrorFilter.INSTANCE,
                new FirstRequestTimeout(door.limits().head(), door.budget()),
                new H2cUpgradeBlocker());
      }
      context.fireChannelRead(accepted);
    }
  }
}
