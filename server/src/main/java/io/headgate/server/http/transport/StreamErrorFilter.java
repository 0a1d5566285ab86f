package io.headgate.server.http.transport;

import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;

/**
 * Keeps an HTTP/2 connection open when a frame can't be written because the client has reset the
 * stream.
 *
 * <p>Vert.x writes trailers with a promise that reports failures to the pipeline, and closes the
 * connection for every exception that arrives there. So a reset that reaches the server before the
 * trailers of its call are flushed would end all other calls of the connection. This handler is
 * first in the pipeline and drops these exceptions: the stream is closed already, so there is
 * nothing left to do. Other exceptions are passed on to Vert.x. See decision record 0026.
 */
@Sharable
final class StreamErrorFilter extends ChannelInboundHandlerAdapter {
  static final StreamErrorFilter INSTANCE = new StreamErrorFilter();

  private StreamErrorFilter() {}

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    if (!isClosedStream(cause)) context.fireExceptionCaught(cause);
  }

  private static boolean isClosedStream(Throwable cause) {
    var error = Http2CodecUtil.getEmbeddedHttp2Exception(cause);
    return error != null
        && Http2Exception.isStreamError(error)
        && error.error() == Http2Error.STREAM_CLOSED;
  }
}
