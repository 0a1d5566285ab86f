package io.headgate.server.http;

import io.vertx.core.http.HttpConnection;
import java.util.HashMap;
import java.util.Map;

/**
 * The open connections of one event loop, and since when each has been silent.
 *
 * <p>Netty's own idle handler can't tell a client that is silent from one that waits for its slot
 * in a line, which may be longer than any sensible timeout. Time is counted in ticks, so that a
 * request costs no look at the clock.
 */
final class Connections {
  static final int MOST_SILENT_TICKS = 60;

  private static final class Silence {
    long since;
    boolean waiting;
  }

  private final Map<HttpConnection, Silence> open = new HashMap<>();
  private long now;

  void opened(HttpConnection connection) {
    FirstRequest.hasCome(connection);
    var silence = new Silence();
    silence.since = now;
    open.put(connection, silence);
    connection.closeHandler(closed -> open.remove(connection));
  }

  /** A request has begun or been answered. */
  void heard(HttpConnection connection) {
    var silence = open.get(connection);
    if (silence == null) return;
    silence.since = now;
    silence.waiting = false;
  }

  /** The client is to be left in peace until it is {@link #heard}. */
  void waits(HttpConnection connection) {
    var silence = open.get(connection);
    if (silence != null) silence.waiting = true;
  }

  void tick() {
    now++;
    var silent =
        open.entrySet().stream()
            .filter(entry -> !entry.getValue().waiting)
            .filter(entry -> now - entry.getValue().since > MOST_SILENT_TICKS)
            .map(Map.Entry::getKey)
            .toList();
    silent.forEach(HttpConnection::close);
  }
}
