package io.headgate.server.http.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.vertx.core.http.impl.Http1xOrH2CHandler;

/**
 * Removes upgrades from HTTP/1.1 to HTTP/2 on cleartext connections. Some clients offer one with
 * their first request; that request is served as HTTP/1.1.
 *
 * <p>Vert.x would accept the upgrade, but answers an incomplete offer without closing the
 * connection, and then discards all further data. Clients can still start with HTTP/2 (prior
 * knowledge).
 *
 * <p>Vert.x installs the upgrade handler when it has read the first bytes that differ from the
 * HTTP/2 preface. So this handler passes bytes one by one until that is done, and then installs a
 * handler in front of it that removes the upgrade header.
 */
final class H2cUpgradeBlocker extends ChannelInboundHandlerAdapter {
  private static final String UPGRADE_HANDLER = "h2c";

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    var pipeline = context.pipeline();
    if (message instanceof ByteBuf bytes) {
      while (isUndecided(pipeline) && bytes.readableBytes() > 1) {
        context.fireChannelRead(bytes.readRetainedSlice(1));
      }
    }
    if (!isUndecided(pipeline)) {
      if (pipeline.get(UPGRADE_HANDLER) != null) {
        pipeline.addBefore(UPGRADE_HANDLER, "no-upgrade", new NoUpgrade());
      }
      ReadBackpressure.install(pipeline); // before the first requests are decoded
      pipeline.remove(this);
    }
    context.fireChannelRead(message);
  }

  private static boolean isUndecided(ChannelPipeline pipeline) {
    return pipeline.get(Http1xOrH2CHandler.class) != null;
  }

  /** Removes the upgrade header of the first request; later ones can't change the protocol. */
  private static final class NoUpgrade extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      if (message instanceof HttpRequest request) {
        if (request.headers().contains(HttpHeaderNames.UPGRADE, UPGRADE_HANDLER, true)) {
          request.headers().remove(HttpHeaderNames.UPGRADE);
        }
        context.pipeline().remove(this);
      }
      context.fireChannelRead(message);
    }
  }
}
