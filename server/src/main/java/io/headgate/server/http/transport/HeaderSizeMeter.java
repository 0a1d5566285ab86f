package io.headgate.server.http.transport;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameListener;
import io.netty.handler.codec.http2.Http2FrameListenerDecorator;
import io.netty.handler.codec.http2.Http2Headers;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.impl.ConnectionBase;

/**
 * Measures the headers of each HTTP/2 request before Vert.x dispatches it. With HPACK compression a
 * few bytes on the network may stand for 16 kB of headers, and 256 streams of them for 4 MB.
 */
final class HeaderSizeMeter extends Http2FrameListenerDecorator {
  /** The memory of the objects around a name and a value. */
  static final long BYTES_PER_FIELD = 136;

  private final ConnectionState state;

  private HeaderSizeMeter(Http2FrameListener next, ConnectionState state) {
    super(next);
    this.state = state;
  }

  /** Installs the meter on a connection; does nothing for HTTP/1. */
  static void install(HttpConnection connection, ConnectionState state) {
    if (!(connection instanceof ConnectionBase known)) return;
    var handler = known.channel().pipeline().get(Http2ConnectionHandler.class);
    if (handler == null) return;
    var decoder = handler.decoder();
    decoder.frameListener(new HeaderSizeMeter(decoder.frameListener(), state));
  }

  private static long weight(Http2Headers headers) {
    long weight = 0;
    for (var header : headers)
      weight += BYTES_PER_FIELD + header.getKey().length() + header.getValue().length();
    return weight;
  }

  @Override
  public void onHeadersRead(
      ChannelHandlerContext context, int stream, Http2Headers headers, int padding, boolean end)
      throws Http2Exception {
    state.headWeight = weight(headers);
    super.onHeadersRead(context, stream, headers, padding, end);
  }

  @Override
  public void onHeadersRead(
      ChannelHandlerContext context,
      int stream,
      Http2Headers headers,
      int dependency,
      short weight,
      boolean exclusive,
      int padding,
      boolean end)
      throws Http2Exception {
    state.headWeight = weight(headers);
    super.onHeadersRead(context, stream, headers, dependency, weight, exclusive, padding, end);
  }
}
