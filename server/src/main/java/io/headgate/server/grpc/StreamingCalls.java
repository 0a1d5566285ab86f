package io.headgate.server.grpc;

import io.headgate.store.Budget;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.grpc.common.GrpcStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The long-lived calls of one event loop: health watches, reflection and quota streams. One timer
 * polls all of them. Their number is limited, since opening some needs no token. Not thread-safe.
 */
final class StreamingCalls {
  static final Duration POLL_INTERVAL = Duration.ofMillis(100);
  static final int MAX_CALLS = 500;
  static final int MAX_PER_CONNECTION = 16;

  private record Open(HttpConnection connection, GrpcReply<?> reply, Runnable poll) {}

  private final List<Open> open = new ArrayList<>();
  private final Budget budget;
  private volatile int openCount; // for the budget, which other threads read
  private final int maxCalls;
  private final int maxPerConnection;

  /** Creates a set for calls that need no token. Must be called on the event loop. */
  StreamingCalls(Vertx vertx) {
    this.maxCalls = MAX_CALLS;
    this.maxPerConnection = MAX_PER_CONNECTION;
    this.budget =
        new Budget(
            "grpc_streams",
            MAX_CALLS,
            () -> openCount,
            "find the clients that open so many health watches or reflection streams");
    startPolling(vertx);
  }

  /**
   * Creates the set and its timer. Must be called on the event loop.
   *
   * @param budget counts the refusals
   */
  StreamingCalls(Vertx vertx, int maxCalls, int maxPerConnection, Budget budget) {
    this.maxCalls = maxCalls;
    this.maxPerConnection = maxPerConnection;
    this.budget = budget;
    startPolling(vertx);
  }

  private void startPolling(Vertx vertx) {
    vertx.setPeriodic(POLL_INTERVAL.toMillis(), id -> poll());
  }

  /** Returns the use of these calls and their refusals. */
  Budget budget() {
    return budget;
  }

  /**
   * Adds a call, or fails it if there are too many.
   *
   * @param poll polls the call; called periodically while it is open
   */
  void add(HttpConnection connection, GrpcReply<?> reply, Runnable poll) {
    open.removeIf(call -> call.reply.isEnded());
    long onConnection = open.stream().filter(call -> call.connection.equals(connection)).count();
    if (onConnection >= maxPerConnection || open.size() >= maxCalls) {
      budget.refuse();
      reply.fail(
          GrpcStatus.RESOURCE_EXHAUSTED,
          "too many open streams: at most %d for each connection and %d for each core; end some"
              .formatted(maxPerConnection, maxCalls));
      return;
    }
    open.add(new Open(connection, reply, poll));
    openCount = open.size();
  }

  private void poll() {
    if (open.isEmpty()) return;
    for (var call : List.copyOf(open)) call.reply.runGuarded(call.poll);
    open.removeIf(call -> call.reply.isEnded());
    openCount = open.size();
  }
}
