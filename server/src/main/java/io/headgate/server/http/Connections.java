package io.headgate.server.http;

import io.vertx.core.Future;
import io.vertx.core.http.HttpConnection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The open connections of one event loop, and what each is taking its time with: silence, the head
 * of a request, or its body. One that waits for us may wait.
 *
 * <p>Netty's own idle handlers can't tell a client that is silent from one that waits for its slot
 * in a line, and are content with a byte now and then. Time is counted in ticks, so that a request
 * costs no look at the clock.
 */
final class Connections {
  private static final class State {
    long since;
    int requests;
    boolean head = true;
  }

  private final Map<HttpConnection, State> open = new HashMap<>();
  private final Map<Receiving, Long> receiving = new LinkedHashMap<>(); // the oldest first
  private final long idleTicks;
  private final long headTicks;
  private final long bodyTicks;
  private long now;
  private boolean ending;

  Connections(ConnectionLimits limits) {
    this.idleTicks = limits.ticks(limits.idle());
    this.headTicks = limits.ticks(limits.head());
    this.bodyTicks = limits.ticks(limits.body());
  }

  void opened(HttpConnection connection) {
    FirstRequest.hasCome(connection);
    var state = new State();
    state.since = now;
    open.put(connection, state);
    connection.closeHandler(closed -> open.remove(connection));
    HeadWatch.watch(connection, () -> headBegins(state));
    if (ending) {
      var unused = GracefulGoAway.send(connection);
    }
  }

  private void headBegins(State state) {
    if (state.requests > 0 || state.head) return;
    state.head = true;
    state.since = now;
  }

  /** The head of a request has come. */
  void begun(HttpConnection connection) {
    var state = open.get(connection);
    if (state != null) state.requests++;
  }

  /** A request has been answered or its client has gone. */
  void ended(HttpConnection connection) {
    var state = open.get(connection);
    if (state == null) return;
    state.requests--;
    state.head = false;
    state.since = now;
  }

  /** Something has come that is no request of this API. */
  void heard(HttpConnection connection) {
    var state = open.get(connection);
    if (state == null) return;
    state.head = false;
    state.since = now;
  }

  /** The body of a request is still to come. */
  void receives(Receiving request) {
    receiving.put(request, now);
  }

  /** The request is there as a whole, or nobody waits for its rest. */
  void received(Receiving request) {
    receiving.remove(request);
  }

  /** Announces to every client of HTTP/2 that its connection ends; see {@link GracefulGoAway}. */
  Future<Void> goAway() {
    ending = true;
    return Future.join(open.keySet().stream().map(GracefulGoAway::send).toList()).mapEmpty();
  }

  void tick() {
    now++;
    for (Receiving slow = oldest(); slow != null; slow = oldest()) {
      receiving.remove(slow);
      slow.tooSlow();
    }
    var silent =
        open.entrySet().stream()
            .filter(entry -> isSilent(entry.getValue()))
            .map(Map.Entry::getKey)
            .toList();
    silent.forEach(HttpConnection::close);
  }

  private @Nullable Receiving oldest() {
    for (var entry : receiving.entrySet()) {
      return now - entry.getValue() > bodyTicks ? entry.getKey() : null;
    }
    return null;
  }

  private boolean isSilent(State state) {
    return state.requests == 0 && now - state.since > (state.head ? headTicks : idleTicks);
  }
}
