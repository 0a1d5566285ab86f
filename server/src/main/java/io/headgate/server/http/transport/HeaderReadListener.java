package io.headgate.server.http.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.impl.HttpServerConnection;
import java.util.function.IntConsumer;

/**
 * Reports the bytes that arrive on an HTTP/1 connection, which Vert.x does not report until a head
 * is complete, and reserves memory of the budget for incomplete heads and trailers. Not needed for
 * HTTP/2, whose bytes may be pings and whose frames are bounded elsewhere.
 *
 * <p>Netty's decoder keeps the fields of a head, or of the trailers of a chunked body, until the
 * last of them has arrived. It has no output meanwhile, unlike for the bytes of a body. So all
 * bytes since its last output count as fields.
 */
final class HeaderReadListener extends ChannelInboundHandlerAdapter {
  /** Bytes of memory for each byte of a head: a header of three bytes can take 136. */
  static final long BYTES_PER_HEAD_BYTE = 48;

  /**
   * The bytes that are decoded at once. Where an output lies within them is not known, so the
   * fields that follow it are not counted: at most this many bytes of a pipelined head.
   */
  private static final int PART_BYTES = 1024;

  private final MemoryBudget budget;
  private final IntConsumer onRead;
  private final OutputDetector decoder = new OutputDetector();
  private long held;
  private boolean refused;

  private HeaderReadListener(MemoryBudget budget, IntConsumer onRead) {
    this.budget = budget;
    this.onRead = onRead;
  }

  /**
   * Installs a listener on a connection; does nothing for HTTP/2.
   *
   * @param onRead is called with the number of bytes before they are decoded
   */
  static void install(HttpConnection connection, MemoryBudget budget, IntConsumer onRead) {
    if (!(connection instanceof HttpServerConnection served)) return;
    var pipeline = served.channelHandlerContext().pipeline();
    var decoder = pipeline.context(HttpRequestDecoder.class);
    if (decoder == null) return;
    var listener = new HeaderReadListener(budget, onRead);
    pipeline.addBefore(decoder.name(), "head-watch", listener);
    pipeline.addAfter(decoder.name(), "decoder-output", listener.decoder);
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (!(message instanceof ByteBuf bytes)) {
      context.fireChannelRead(message);
      return;
    }
    onRead.accept(bytes.readableBytes());
    while (bytes.readableBytes() > PART_BYTES && !refused) {
      decode(context, bytes.readRetainedSlice(PART_BYTES), PART_BYTES);
    }
    if (refused) bytes.release();
    else decode(context, bytes, bytes.readableBytes());
  }

  private void decode(ChannelHandlerContext context, ByteBuf part, int length) {
    decoder.hasOutput = false;
    context.fireChannelRead(part);
    if (!decoder.hasOutput) hold(context, length * BYTES_PER_HEAD_BYTE);
    else if (held > 0) releaseAll();
  }

  /**
   * Reserves memory, or closes the connection. Netty drops the decoder of a closed connection only
   * after it has read all other connections, so no more bytes are decoded.
   */
  private void hold(ChannelHandlerContext context, long bytes) {
    if (context.isRemoved()) return;
    if (budget.reserve(bytes)) {
      held += bytes;
      return;
    }
    refused = true;
    var unused = context.close();
  }

  private void releaseAll() {
    budget.release(held);
    held = 0;
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext context) {
    releaseAll();
  }

  /** Detects whether the decoder has output. */
  private static final class OutputDetector extends ChannelInboundHandlerAdapter {
    private boolean hasOutput;

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      hasOutput = true;
      context.fireChannelRead(message);
    }
  }
}
