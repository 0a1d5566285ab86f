package io.headgate.redis.internal.connection;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Closes a connection that has received nothing for a second after a command was sent. Such a
 * server is stopped or unreachable and may have been replaced. Commands that wait for it block
 * those that could go to the new primary. They would also be redirected there if the old server
 * resumed and replied MOVED.
 *
 * <p>The second is measured in ten ticks of the event loop, which reads the socket between two
 * ticks. A late tick counts once. A process that was stalled has therefore had ten chances to read
 * a reply before it closes a connection.
 */
final class ReplyTimeoutHandler extends ChannelDuplexHandler {
  private static final int TICKS = 10;
  private static final long TIMEOUT_NANOS = Duration.ofSeconds(1).toNanos();
  private static final long TICK_NANOS = TIMEOUT_NANOS / TICKS;

  // Confined to the channel's event loop.
  private boolean awaitingReply;
  private boolean ticking;
  private int ticks;
  private long since;

  @Override
  public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
    if (!awaitingReply) {
      awaitingReply = true;
      ticks = 0;
      since = System.nanoTime();
      if (!ticking) scheduleTick(context);
    }
    var unused = context.write(message, promise);
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    awaitingReply = false;
    context.fireChannelRead(message);
  }

  /** Schedules one tick, however many commands are sent until then. */
  private void scheduleTick(ChannelHandlerContext context) {
    ticking = true;
    var unused = context.executor().schedule(() -> tick(context), TICK_NANOS, TimeUnit.NANOSECONDS);
  }

  private void tick(ChannelHandlerContext context) {
    ticking = false;
    if (!awaitingReply || !context.channel().isActive()) return;
    if (++ticks >= TICKS && System.nanoTime() - since >= TIMEOUT_NANOS) {
      var unused = context.close();
    } else {
      scheduleTick(context);
    }
  }
}
