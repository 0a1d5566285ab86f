package io.headgate.server.http.transport;

import io.vertx.core.Context;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A response of server-sent events. Events are not buffered beyond the connection's write queue: a
 * client that reads too slowly is disconnected.
 */
public final class EventStream {
  private static final int MAX_PENDING = 8; // events not yet written by its event loop
  private static final long CANCEL = 8; // HTTP/2 error code
  private static final long NO_ERROR = 0;

  private final HttpServerRequest request;
  private final Context context;
  private final AtomicInteger pending = new AtomicInteger();
  private final List<Runnable> endListeners = new ArrayList<>();
  private boolean ended; // confined to its event loop

  /**
   * @param context of the event loop of the request
   */
  public EventStream(HttpServerRequest request, Context context) {
    this.request = request;
    this.context = context;
  }

  /**
   * Registers a listener that runs once, when the stream has ended. To be called on the event loop.
   */
  public void onEnd(Runnable then) {
    endListeners.add(then);
  }

  /**
   * Sends an event from any thread without blocking. Drops it if the event loop is too far behind.
   */
  public void send(Buffer event) {
    if (pending.incrementAndGet() > MAX_PENDING) {
      pending.decrementAndGet(); // the event loop is behind: drop this event
      return;
    }
    context.runOnContext(now -> {
      pending.decrementAndGet();
      write(event);
    });
  }

  private void write(Buffer event) {
    var response = request.response();
    if (ended || response.closed()) return;
    if (response.writeQueueFull()) {
      cut();
      return;
    }
    response.write(event);
  }

  /** Ends a stream whose client has not read the earlier events. */
  private void cut() {
    ended = true;
    endListeners.forEach(Runnable::run);
    if (request.version() == HttpVersion.HTTP_2) request.response().reset(CANCEL);
    else request.connection().close();
  }

  /** Ends the stream from any thread; its connection stays open. */
  void end() {
    context.runOnContext(now -> finish(false));
  }

  /** Ends the stream from any thread, and closes its connection. */
  void endLast() {
    context.runOnContext(now -> finish(true));
  }

  private void finish(boolean last) {
    var response = request.response();
    if (ended || response.closed()) return;
    ended = true;
    endListeners.forEach(Runnable::run);
    var sent = response.end();
    if (!last) return;
    if (request.version() == HttpVersion.HTTP_2) request.connection().goAway(NO_ERROR);
    else sent.onComplete(done -> request.connection().close());
  }

  /** Called on the event loop when the client has disconnected. */
  void closed() {
    if (ended) return;
    ended = true;
    endListeners.forEach(Runnable::run);
  }
}
