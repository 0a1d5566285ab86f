package io.headgate.server.http.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.impl.ConnectionBase;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Stops reading an HTTP/2 connection while its client does not read the frames that were sent to
 * it. Each request adds frames, and a client that resets its streams can send any number of
 * requests: the limit of concurrent streams and the flow-control windows do not bound them.
 *
 * <p>Netty decodes all bytes of a read before it flushes the responses. So this handler is in front
 * of the HTTP/2 codec and passes the bytes on in small parts. If the outbound buffer is full after
 * a part, the responses are flushed. If it is full after that, no further part is passed on and no
 * byte is read from the socket until the client has read. Confined to its event loop.
 */
final class ReadBackpressure extends ChannelDuplexHandler {
  /** The bytes that are decoded at once; a request and its reset take 26 or more. */
  private static final int PART_BYTES = 4 * 1024;

  /** Is notified when the reading of a connection stops and continues. */
  interface Listener {
    /**
     * Called when reading stops.
     *
     * @param buffers the number of buffers that the client has to read, at least two for a response
     */
    void stopped(int buffers);

    /** Called before reading continues. */
    void continues();
  }

  private final Queue<ByteBuf> undecoded = new ArrayDeque<>(1);
  private @Nullable ChannelHandlerContext context;
  private @Nullable Listener listener;
  private boolean decoding;
  private boolean stopped;

  private ReadBackpressure() {}

  /** Installs the handler in front of an HTTP/2 codec; does nothing if there is none. */
  static void install(ChannelPipeline pipeline) {
    if (pipeline.get(ReadBackpressure.class) != null) return;
    var codec = pipeline.context(Http2ConnectionHandler.class);
    if (codec != null) pipeline.addBefore(codec.name(), "backpressure", new ReadBackpressure());
  }

  /**
   * Installs the handler on an HTTP/2 connection and sets its listener.
   *
   * @return null for an HTTP/1 connection
   */
  static @Nullable ReadBackpressure install(HttpConnection connection, Listener listener) {
    if (!(connection instanceof ConnectionBase known)) return null;
    var pipeline = known.channel().pipeline();
    install(pipeline);
    var installed = pipeline.get(ReadBackpressure.class);
    if (installed != null) installed.listener = listener;
    return installed;
  }

  /** Returns the bytes that wait for the client to read earlier ones. */
  long unreadBytes() {
    var buffer = context == null ? null : context.channel().unsafe().outboundBuffer();
    return buffer == null ? 0 : buffer.totalPendingWriteBytes();
  }

  @Override
  public void handlerAdded(ChannelHandlerContext added) {
    context = added;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (!(message instanceof ByteBuf bytes)) {
      context.fireChannelRead(message);
      return;
    }
    undecoded.add(bytes);
    decode(context);
  }

  private void decode(ChannelHandlerContext context) {
    if (decoding) return;
    decoding = true;
    try {
      while (!undecoded.isEmpty() && hasRoom(context)) context.fireChannelRead(nextPart());
    } finally {
      decoding = false;
    }
    if (!context.channel().isActive()) dropAll();
    else if (hasRoom(context)) continueReading(context);
    else stopReading(context);
  }

  /** Returns whether the outbound buffer has room, if necessary after a flush. */
  private static boolean hasRoom(ChannelHandlerContext context) {
    if (!context.channel().isActive()) return false;
    if (!context.channel().isWritable()) context.fireChannelReadComplete(); // flushes
    return context.channel().isWritable();
  }

  private ByteBuf nextPart() {
    var first = undecoded.element();
    if (first.readableBytes() > PART_BYTES) return first.readRetainedSlice(PART_BYTES);
    return undecoded.remove();
  }

  private void stopReading(ChannelHandlerContext context) {
    if (stopped) return;
    stopped = true;
    context.channel().config().setAutoRead(false);
    var buffer = context.channel().unsafe().outboundBuffer();
    if (listener != null && buffer != null) listener.stopped(buffer.size());
  }

  private void continueReading(ChannelHandlerContext context) {
    if (!stopped) return;
    stopped = false;
    if (listener != null) listener.continues();
    context.channel().config().setAutoRead(true);
  }

  /** Suppresses the reads that the HTTP/2 codec requests while the channel does not read itself. */
  @Override
  public void read(ChannelHandlerContext context) {
    if (!stopped) context.read();
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    context.fireChannelWritabilityChanged();
    // Not at once, since this may be called while a frame is being written.
    if (stopped && context.channel().isWritable()) {
      context.executor().execute(() -> decodeRest(context));
    }
  }

  private void decodeRest(ChannelHandlerContext context) {
    if (!stopped || context.isRemoved()) return;
    decode(context);
    context.fireChannelReadComplete();
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    dropAll();
    context.fireChannelInactive();
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext context) {
    dropAll();
  }

  private void dropAll() {
    undecoded.forEach(ByteBuf::release);
    undecoded.clear();
  }
}
