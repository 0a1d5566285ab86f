package io.headgate.server.http.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.vertx.core.http.impl.Http1xOrH2CHandler;

/**
 * Sees to it that nobody changes from HTTP/1.1 to HTTP/2 on the way, where there is no TLS. Some
 * clients offer it with their first request; they are served as if they had not.
 *
 * <p>Vert.x would accept, but an offer that is not complete it answers without closing, and then
 * swallows what comes. Who wants HTTP/2 can begin with it.
 *
 * <p>The handler that accepts is put in place by the first bytes that are not those of HTTP/2. So
 * these go ahead one by one until it is there, and the rest meets another before it.
 */
final class H2cUpgradeBlocker extends ChannelInboundHandlerAdapter {
  private static final String UPGRADES = "h2c";

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    var pipeline = context.pipeline();
    if (message instanceof ByteBuf bytes) {
      while (isUndecided(pipeline) && bytes.readableBytes() > 1) {
        context.fireChannelRead(bytes.readRetainedSlice(1));
      }
    }
    if (!isUndecided(pipeline)) {
      if (pipeline.get(UPGRADES) != null) {
        pipeline.addBefore(UPGRADES, "no-upgrade", new NoUpgrade());
      }
      pipeline.remove(this);
    }
    context.fireChannelRead(message);
  }

  private static boolean isUndecided(ChannelPipeline pipeline) {
    return pipeline.get(Http1xOrH2CHandler.class) != null;
  }

  /** Only the first request could change the protocol. */
  private static final class NoUpgrade extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      if (message instanceof HttpRequest request) {
        if (request.headers().contains(HttpHeaderNames.UPGRADE, UPGRADES, true)) {
          request.headers().remove(HttpHeaderNames.UPGRADE);
        }
        context.pipeline().remove(this);
      }
      context.fireChannelRead(message);
    }
  }
}
