package io.headgate.server.http.transport;

import io.vertx.core.Future;
import io.vertx.core.http.HttpConnection;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Tracks the open connections of one event loop: closes those that are idle, or too slow to send a
 * head or body or to receive a response, and accounts for the memory that each holds. A connection
 * that waits for the service has no deadline.
 *
 * <p>Netty's idle handlers can't be used: they don't distinguish an idle client from one that waits
 * for its delay, and a byte now and then satisfies them. Time is counted in ticks, so that a
 * request does not read the clock. Confined to its event loop.
 */
public final class ConnectionTracker {
  /** The rate at which a client must read a long response, beyond the time for a short one. */
  private static final long MIN_BYTES_PER_SECOND = 64 * 1024;

  /**
   * The memory of a buffer that the client does not read. A response has two or more, and they keep
   * its request in memory even if the stream has been reset.
   */
  private static final long BYTES_PER_UNREAD_BUFFER = RequestTracking.STREAM_BYTES;

  private final Map<HttpConnection, ConnectionState> open = new HashMap<>();
  private final DeadlineList deadlines = new DeadlineList();
  private final HeadBuffer head = new HeadBuffer();
  private final MemoryBudget budget;
  private final MemoryBudget.Share share;
  private final long idleTicks;
  private final long headTicks;
  private final long bodyTicks;
  private final long tickMillis;
  private long now;
  private boolean goingAway;
  private long searchedTick = -1;

  /**
   * @param eventLoops the number of event loops, each with a tracker of its own
   */
  public ConnectionTracker(ConnectionLimits limits, MemoryBudget budget, int eventLoops) {
    this.budget = budget;
    this.share = budget.share(eventLoops);
    this.idleTicks = limits.ticks(limits.idle());
    this.headTicks = limits.ticks(limits.head());
    this.bodyTicks = limits.ticks(limits.body());
    this.tickMillis = limits.tickMillis();
  }

  /** Starts to track a connection. */
  public void opened(HttpConnection connection) {
    FirstRequestTimeout.remove(connection);
    var state = new ConnectionState(connection, now);
    open.put(connection, state);
    connection.closeHandler(closed -> remove(state));
    HeaderReadListener.install(connection, budget, bytes -> headBytesRead(state, bytes));
    ShortResponseEncoder.install(connection, head);
    HeaderSizeMeter.install(connection, state);
    state.backpressure = ReadBackpressure.install(connection, backpressureListener(state));
    if (goingAway) {
      var unused = GracefulGoAway.send(connection);
    }
  }

  private ReadBackpressure.Listener backpressureListener(ConnectionState state) {
    return new ReadBackpressure.Listener() {
      @Override
      public void stopped(int buffers) {
        readingStopped(state, buffers * BYTES_PER_UNREAD_BUFFER);
      }

      @Override
      public void continues() {
        state.stopped = false;
        release(state, state.unreadWeight);
        state.unreadWeight = 0;
      }
    };
  }

  /** Reserves memory for the buffers that the client has not read, or closes the connection. */
  private void readingStopped(ConnectionState state, long weight) {
    if (!reserve(state, weight)) {
      remove(state);
      state.cut();
      return;
    }
    state.unreadWeight = weight;
    state.stopped = true;
    state.unreadBytes = Long.MAX_VALUE;
    state.unreadSince = now;
  }

  /** Stops tracking a connection and releases the memory of its requests. */
  private void remove(ConnectionState state) {
    open.remove(state.connection);
    if (state.closed) return;
    state.closed = true;
    share.release(state.held);
    state.held = 0;
  }

  private void headBytesRead(ConnectionState state, int bytes) {
    state.headBytes += bytes;
    if (state.requests > 0 || state.head) return;
    state.head = true;
    state.since = now;
  }

  /** Returns the state of a connection; null if it has been closed. */
  @Nullable ConnectionState find(HttpConnection connection) {
    return open.get(connection);
  }

  /** Counts a request whose head has arrived. */
  void requestStarted(@Nullable ConnectionState state) {
    if (state != null) state.requests++;
  }

  /** Records that a request has been answered, or that its client has disconnected. */
  void requestEnded(@Nullable ConnectionState state) {
    if (state == null) return;
    state.requests--;
    state.head = false;
    state.since = now;
  }

  /** Records activity on a connection that is not a request of this API. */
  public void recordActivity(HttpConnection connection) {
    var state = open.get(connection);
    if (state == null) return;
    state.head = false;
    state.since = now;
  }

  /** Sets the deadline for the body of a request. */
  void awaitBody(BodyReceiver request) {
    deadlines.put(request, now + bodyTicks);
  }

  /** Sets the deadline for the client to receive a response. */
  void awaitSent(BodyReceiver request, long bytes) {
    long millis = bytes * 1_000 / MIN_BYTES_PER_SECOND;
    deadlines.put(request, now + bodyTicks + millis / tickMillis);
  }

  /** Removes the deadline of a request that has been received, or whose response has been sent. */
  void clearDeadline(BodyReceiver request) {
    deadlines.remove(request);
  }

  /**
   * Reserves memory of the budget for a request. If there is not enough, the connection of this
   * event loop that holds the most is closed, provided that it holds more than this one would.
   *
   * @return false if the memory is not available
   */
  boolean reserve(ConnectionState state, long bytes) {
    if (state.closed) return true; // the request fails when it is answered
    while (!share.reserve(bytes)) {
      if (searchedTick == now) return false; // one search per tick
      var heaviest = heaviest();
      if (heaviest == null || heaviest.held <= state.held + bytes) {
        searchedTick = now;
        return false;
      }
      remove(heaviest);
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

  /** Releases memory of a request. */
  void release(ConnectionState state, long bytes) {
    if (state.closed) return; // everything was released on close
    state.held -= bytes;
    share.release(bytes);
  }

  /** Announces to every HTTP/2 client that its connection ends; see {@link GracefulGoAway}. */
  public Future<Void> goAway() {
    goingAway = true;
    return Future.join(open.keySet().stream().map(GracefulGoAway::send).toList()).mapEmpty();
  }

  /**
   * Advances the time by one tick, and ends the requests and connections whose deadline has passed.
   */
  public void tick() {
    now++;
    for (var request : deadlines.removeExpired(now)) request.onTimeout();
    var stalled = open.values().stream().filter(this::isStalled).toList();
    for (var state : stalled) {
      remove(state);
      state.cut();
    }
    var idle = open.values().stream().filter(this::isIdle).toList();
    for (var state : idle) {
      if (state.closing) state.cut();
      else state.close();
    }
  }

  /** Returns whether a stopped connection has made no progress within the time for a body. */
  private boolean isStalled(ConnectionState state) {
    if (!state.stopped || state.backpressure == null) return false;
    long unread = state.backpressure.unreadBytes();
    if (unread < state.unreadBytes) {
      state.unreadBytes = unread;
      state.unreadSince = now;
    }
    return now - state.unreadSince > bodyTicks;
  }

  private boolean isIdle(ConnectionState state) {
    return state.requests == 0
        && state.sending == 0
        && now - state.since > (state.head ? headTicks : idleTicks);
  }
}
