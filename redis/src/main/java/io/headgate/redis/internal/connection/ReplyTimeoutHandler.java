package io.headgate.redis.internal.connection;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Ends a connection on which something was sent and nothing came back for a second. Such a server
 * is stopped or cut off, and may have been replaced: what waits for it holds up what could go to
 * another, and would be sent there after all, should this one wake and say that it has moved.
 *
 * <p>The second is counted in ticks of the event loop, of which each counts once however late it
 * is, and between two of which the socket is read. A process that was held up has therefore had ten
 * chances to read an answer before it gives up a connection.
 */
final class ReplyTimeoutHandler extends ChannelDuplexHandler {
  private static final int TICKS = 10;
  private static final long LONGEST_NANOS = Duration.ofSeconds(1).toNanos();
  private static final long TICK_NANOS = LONGEST_NANOS / TICKS;

  // Only the channel's own thread comes here.
  private boolean awaiting;
  private boolean ticking;
  private int ticks;
  private long since;

  @Override
  public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
    if (!awaiting) {
      awaiting = true;
      ticks = 0;
      since = System.nanoTime();
      if (!ticking) tickAgain(context);
    }
    var unused = context.write(message, promise);
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    awaiting = false;
    context.fireChannelRead(message);
  }

  /** However much is sent in that time. */
  private void tickAgain(ChannelHandlerContext context) {
    ticking = true;
    var unused = context.executor().schedule(() -> tick(context), TICK_NANOS, TimeUnit.NANOSECONDS);
  }

  private void tick(ChannelHandlerContext context) {
    ticking = false;
    if (!awaiting || !context.channel().isActive()) return;
    if (++ticks >= TICKS && System.nanoTime() - since >= LONGEST_NANOS) {
      var unused = context.close();
    } else {
      tickAgain(context);
    }
  }
}
