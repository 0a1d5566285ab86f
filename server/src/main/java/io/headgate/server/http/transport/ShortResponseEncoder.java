package io.headgate.server.http.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.AsciiString;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.impl.HttpServerConnection;
import io.vertx.core.http.impl.headers.HeadersMultiMap;

/**
 * Encodes a short HTTP/1.1 response, head and body, into one buffer. Netty's encoder, which encodes
 * all other responses, has two for a body of more than 128 bytes: a second allocation, a promise
 * that combines two writes, and a system call that gathers them. Confined to its event loop.
 */
final class ShortResponseEncoder extends ChannelOutboundHandlerAdapter {
  /** The longest body; copying a longer one costs more than a second buffer. */
  static final int MAX_BODY_BYTES = 2 * 1024;

  private static final AsciiString VERSION = AsciiString.cached("HTTP/1.1 ");
  private static final AsciiString SPACE = AsciiString.cached(" ");

  private final ChannelHandlerContext encoder;
  private final HeadBuffer head;

  private ShortResponseEncoder(ChannelHandlerContext encoder, HeadBuffer head) {
    this.encoder = encoder;
    this.head = head;
  }

  /**
   * Installs the handler on a connection; does nothing for HTTP/2.
   *
   * @param head is shared by the connections of the event loop
   */
  static void install(HttpConnection connection, HeadBuffer head) {
    if (!(connection instanceof HttpServerConnection served)) return;
    install(served.channelHandlerContext().pipeline(), head);
  }

  static void install(ChannelPipeline pipeline, HeadBuffer head) {
    var encoder = pipeline.context(HttpResponseEncoder.class);
    if (encoder == null) return;
    pipeline.addAfter(encoder.name(), "short-responses", new ShortResponseEncoder(encoder, head));
  }

  @Override
  public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
    if (message instanceof FullHttpResponse response
        && response.headers() instanceof HeadersMultiMap headers
        && isShort(response)) {
      var unused = encoder.write(encode(context, response, headers), promise); // passes it by
    } else {
      var unused = context.write(message, promise);
    }
  }

  /**
   * Returns whether the response is a head, whose length of the body is known, and a short body.
   * That of a HEAD request has no body, so Netty encodes it.
   */
  private static boolean isShort(FullHttpResponse response) {
    int length = response.content().readableBytes();
    return length > 0
        && length <= MAX_BODY_BYTES
        && response.protocolVersion().equals(HttpVersion.HTTP_1_1)
        && hasBody(response.status())
        && !response.headers().contains(HttpHeaderNames.TRANSFER_ENCODING);
  }

  private static boolean hasBody(HttpResponseStatus status) {
    int code = status.code();
    return code >= 200 && code != 204 && code != 205 && code != 304;
  }

  private ByteBuf encode(
      ChannelHandlerContext context, FullHttpResponse response, HeadersMultiMap headers) {
    try {
      compose(response.status(), headers);
      var body = response.content();
      int length = body.readableBytes();
      var out = context.alloc().directBuffer(head.length() + length);
      head.writeTo(out);
      if (body.hasArray()) {
        out.writeBytes(body.array(), body.arrayOffset() + body.readerIndex(), length);
      } else {
        out.writeBytes(body, body.readerIndex(), length);
      }
      return out;
    } finally {
      response.release();
    }
  }

  private void compose(HttpResponseStatus status, HeadersMultiMap headers) {
    head.clear();
    head.append(VERSION);
    head.append(status.codeAsText());
    head.append(SPACE);
    head.append(status.reasonPhrase());
    head.append('\r', '\n');
    for (var fields = headers.iteratorCharSequence(); fields.hasNext(); ) {
      var field = fields.next();
      head.append(field.getKey());
      head.append(':', ' ');
      head.append(field.getValue());
      head.append('\r', '\n');
    }
    head.append('\r', '\n');
  }
}
