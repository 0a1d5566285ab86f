package io.headgate.server.http.transport;

import io.vertx.core.Future;
import io.vertx.core.http.HttpConnection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The open connections of one event loop, what each is taking its time with (silence, the head of a
 * request, its body, or taking the answer), and how much memory each holds meanwhile. One that
 * waits for us may wait.
 *
 * <p>Netty's own idle handlers can't tell a client that is silent from one that waits for its slot
 * in a line, and are content with a byte now and then. Time is counted in ticks, so that a request
 * costs no look at the clock.
 */
public final class ConnectionTracker {
  /** What a client must take of a long answer in a second, beyond the time for a short one. */
  private static final long SLOWEST_BYTES_PER_SECOND = 64 * 1024;

  private final Map<HttpConnection, ConnectionState> open = new HashMap<>();
  private final Map<BodyReceiver, Long> deadlines = new LinkedHashMap<>();
  private final MemoryBudget budget;
  private final MemoryBudget.Share share;
  private final long idleTicks;
  private final long headTicks;
  private final long bodyTicks;
  private final long tickMillis;
  private long now;
  private boolean ending;
  private long searchedAt = -1;

  /**
   * @param eventLoops how many there are, each with connections of its own
   */
  public ConnectionTracker(ConnectionLimits limits, MemoryBudget budget, int eventLoops) {
    this.budget = budget;
    this.share = budget.share(eventLoops);
    this.idleTicks = limits.ticks(limits.idle());
    this.headTicks = limits.ticks(limits.head());
    this.bodyTicks = limits.ticks(limits.body());
    this.tickMillis = limits.tickMillis();
  }

  public void opened(HttpConnection connection) {
    FirstRequestTimeout.hasCome(connection);
    var state = new ConnectionState(connection, now);
    open.put(connection, state);
    connection.closeHandler(closed -> forget(state));
    HeaderReadListener.watch(
        connection,
        budget,
        new HeaderReadListener.Listener() {
          @Override
          public void reads(int bytes) {
            headBegins(state, bytes);
          }

          @Override
          public boolean isHeadUnfinished() {
            return state.requests == 0 && state.head;
          }
        });
    HeaderSizeMeter.weigh(connection, state);
    if (ending) {
      var unused = GracefulGoAway.send(connection);
    }
  }

  /** Whatever its requests still hold ends with the connection. */
  private void forget(ConnectionState state) {
    open.remove(state.connection);
    if (state.closed) return;
    state.closed = true;
    share.giveBack(state.held);
    state.held = 0;
  }

  private void headBegins(ConnectionState state, int bytes) {
    state.headBytes += bytes;
    if (state.requests > 0 || state.head) return;
    state.head = true;
    state.since = now;
  }

  /** The state of a connection; null if it has been closed. */
  @Nullable ConnectionState find(HttpConnection connection) {
    return open.get(connection);
  }

  /** The head of a request has come. */
  @Nullable ConnectionState begun(HttpConnection connection) {
    var state = open.get(connection);
    if (state != null) state.requests++;
    return state;
  }

  /** A request has been answered or its client has gone. */
  void ended(@Nullable ConnectionState state) {
    if (state == null) return;
    state.requests--;
    state.head = false;
    state.since = now;
  }

  /** Something has come that is no request of this API. */
  public void heard(HttpConnection connection) {
    var state = open.get(connection);
    if (state == null) return;
    state.head = false;
    state.since = now;
  }

  /** The body of a request is still to come. */
  void receives(BodyReceiver request) {
    deadlines.put(request, now + bodyTicks);
  }

  /** The answer to a request has been written and is still to be taken by the client. */
  void sends(BodyReceiver request, long bytes) {
    long millis = bytes * 1_000 / SLOWEST_BYTES_PER_SECOND;
    deadlines.put(request, now + bodyTicks + millis / tickMillis);
  }

  /** Nothing is waited for any more: the request is there as a whole, or its answer is sent. */
  void received(BodyReceiver request) {
    deadlines.remove(request);
  }

  /**
   * Takes memory of the budget for a request of a connection. Where there is not enough, the
   * connection of this event loop that holds most is closed in favour of one that holds less.
   */
  boolean take(ConnectionState state, long bytes) {
    if (state.closed) return true; // the request will find that out
    while (!share.take(bytes)) {
      if (searchedAt == now) return false; // every one of them searching would take too long
      var heaviest = heaviest();
      if (heaviest == null || heaviest.held <= state.held + bytes) {
        searchedAt = now;
        return false;
      }
      forget(heaviest);
      heaviest.cut();
    }
    state.held += bytes;
    return true;
  }

  private @Nullable ConnectionState heaviest() {
    ConnectionState heaviest = null;
    for (var state : open.values()) {
      if (heaviest == null || state.held > heaviest.held) heaviest = state;
    }
    return heaviest;
  }

  void giveBack(ConnectionState state, long bytes) {
    if (state.closed) return; // all was given back then
    state.held -= bytes;
    share.giveBack(bytes);
  }

  /** Announces to every client of HTTP/2 that its connection ends; see {@link GracefulGoAway}. */
  public Future<Void> goAway() {
    ending = true;
    return Future.join(open.keySet().stream().map(GracefulGoAway::send).toList()).mapEmpty();
  }

  public void tick() {
    now++;
    var slow =
        deadlines.entrySet().stream()
            .filter(entry -> now > entry.getValue())
            .map(Map.Entry::getKey)
            .toList();
    for (var request : slow) {
      deadlines.remove(request);
      request.tooSlow();
    }
    var silent = open.values().stream().filter(this::isSilent).toList();
    for (var state : silent) {
      if (state.closing) state.cut();
      else state.close();
    }
  }

  private boolean isSilent(ConnectionState state) {
    return state.requests == 0
        && state.sending == 0
        && now - state.since > (state.head ? headTicks : idleTicks);
  }
}
