package io.headgate.server.http;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.impl.HttpServerConnection;

/**
 * Tells when bytes come on a connection of HTTP/1, which Vert.x does not until they are a whole
 * head. HTTP/2 has none of it: its bytes may be pings, and its frames are bounded otherwise.
 */
final class HeadWatch extends ChannelInboundHandlerAdapter {
  private final Runnable came;

  private HeadWatch(Runnable came) {
    this.came = came;
  }

  static void watch(HttpConnection connection, Runnable came) {
    if (!(connection instanceof HttpServerConnection served)) return;
    var pipeline = served.channelHandlerContext().pipeline();
    var decoder = pipeline.context(HttpRequestDecoder.class);
    if (decoder != null) pipeline.addBefore(decoder.name(), "head-watch", new HeadWatch(came));
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object bytes) {
    came.run();
    context.fireChannelRead(bytes);
  }
}
