package io.headgate.server.grpc;

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
  private final int maxCalls;
  private final int maxPerConnection;

  /** Creates a set for calls that need no token. Must be called on the event loop. */
  StreamingCalls(Vertx vertx) {
    this(vertx, MAX_CALLS, MAX_PER_CONNECTION);
  }

  /** Creates the set and its timer. Must be called on the event loop. */
  StreamingCalls(Vertx vertx, int maxCalls, int maxPerConnection) {
    this.maxCalls = maxCalls;
    this.maxPerConnection = maxPerConnection;
    vertx.setPeriodic(POLL_INTERVAL.toMillis(), id -> poll());
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
      reply.fail(
          GrpcStatus.RESOURCE_EXHAUSTED,
          "too many open streams: at most %d for each connection and %d for each core; end some"
              .formatted(maxPerConnection, maxCalls));
      return;
    }
    open.add(new Open(connection, reply, poll));
  }

  private void poll() {
    if (open.isEmpty()) return;
    for (var call : List.copyOf(open)) call.reply.runGuarded(call.poll);
    open.removeIf(call -> call.reply.isEnded());
  }
}
