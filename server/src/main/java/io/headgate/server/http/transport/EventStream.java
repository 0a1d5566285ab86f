package io.headgate.server.http.transport;

import io.vertx.core.Context;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An answer that goes on. Whoever reads it too slowly is cut off: nothing is kept for it beyond
 * what is on its way.
 */
public final class EventStream {
  private static final int MOST_WAITING = 8; // events that its event loop has not come to yet
  private static final long CANCEL = 8; // of HTTP/2
  private static final long NO_ERROR = 0;

  private final HttpServerRequest request;
  private final Context context;
  private final AtomicInteger waiting = new AtomicInteger();
  private final List<Runnable> over = new ArrayList<>();
  private boolean ended; // on its event loop only

  /**
   * @param context of the event loop that the request came on
   */
  public EventStream(HttpServerRequest request, Context context) {
    this.request = request;
    this.context = context;
  }

  /** Is run once, when nobody reads any more; to be called on its event loop. */
  public void whenOver(Runnable then) {
    over.add(then);
  }

  /** Sends from any thread, without waiting. */
  public void send(Buffer event) {
    if (waiting.incrementAndGet() > MOST_WAITING) {
      waiting.decrementAndGet(); // its event loop is busy with other things; the next one counts
      return;
    }
    context.runOnContext(now -> {
      waiting.decrementAndGet();
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

  /** What it had not read of earlier events is too much by now. */
  private void cut() {
    ended = true;
    over.forEach(Runnable::run);
    if (request.version() == HttpVersion.HTTP_2) request.response().reset(CANCEL);
    else request.connection().close();
  }

  /** Ends it in good order, from any thread; its connection can go on. */
  void end() {
    context.runOnContext(now -> finish(false));
  }

  /** As above, and it was the last of its connection. */
  void endLast() {
    context.runOnContext(now -> finish(true));
  }

  private void finish(boolean last) {
    var response = request.response();
    if (ended || response.closed()) return;
    ended = true;
    over.forEach(Runnable::run);
    var sent = response.end();
    if (!last) return;
    if (request.version() == HttpVersion.HTTP_2) request.connection().goAway(NO_ERROR);
    else sent.onComplete(done -> request.connection().close());
  }

  /** The client has gone; on its event loop. */
  void gone() {
    if (ended) return;
    ended = true;
    over.forEach(Runnable::run);
  }
}
