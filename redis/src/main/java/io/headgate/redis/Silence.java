package io.headgate.redis;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Ends a connection on which something was sent and nothing came back for a second. Such a server
 * is stopped or cut off, and may have been replaced: what waits for it holds up what could go to
 * another, and would be sent there after all, should this one wake and say that it has moved.
 */
final class Silence extends ChannelDuplexHandler {
  private static final long LONGEST_NANOS = Duration.ofSeconds(1).toNanos();

  // Only the channel's own thread comes here.
  private boolean awaiting;
  private boolean watching;
  private long since;

  @Override
  public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
    if (!awaiting) {
      awaiting = true;
      since = System.nanoTime();
      if (!watching) lookAfter(LONGEST_NANOS, context);
    }
    var unused = context.write(message, promise);
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    awaiting = false;
    context.fireChannelRead(message);
  }

  /** One look a second is enough, however much is sent in that time. */
  private void lookAfter(long nanos, ChannelHandlerContext context) {
    watching = true;
    var unused = context.executor().schedule(() -> look(context), nanos, TimeUnit.NANOSECONDS);
  }

  private void look(ChannelHandlerContext context) {
    watching = false;
    if (!awaiting || !context.channel().isActive()) return;
    long left = LONGEST_NANOS - (System.nanoTime() - since);
    if (left > 0) {
      lookAfter(left, context);
    } else {
      var unused = context.close();
    }
  }
}
