package io.headgate.server.grpc;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.grpc.common.GrpcStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The calls of one event loop that stay open: watches of health, and conversations of reflection.
 * One timer looks at all of them. Bounded, since no token is needed to open one.
 */
final class StreamingCalls {
  static final Duration LOOK_EVERY = Duration.ofMillis(100);
  static final int MOST = 500;
  static final int MOST_OF_A_CONNECTION = 16;

  private record Open(HttpConnection connection, GrpcReply<?> reply, Runnable look) {}

  private final List<Open> open = new ArrayList<>();

  /** To be made on the event loop. */
  StreamingCalls(Vertx vertx) {
    vertx.setPeriodic(LOOK_EVERY.toMillis(), ticked -> look());
  }

  /** Looks at a call now and then for as long as it is open; ends one that is too many. */
  void add(HttpConnection connection, GrpcReply<?> reply, Runnable look) {
    open.removeIf(call -> call.reply.isGiven());
    long ofConnection = open.stream().filter(call -> call.connection.equals(connection)).count();
    if (ofConnection >= MOST_OF_A_CONNECTION || open.size() >= MOST) {
      reply.fail(
          GrpcStatus.RESOURCE_EXHAUSTED,
          "a connection may have %d calls that stay open, and all connections %d for each core;"
                  .formatted(MOST_OF_A_CONNECTION, MOST)
              + " end some");
      return;
    }
    open.add(new Open(connection, reply, look));
  }

  private void look() {
    if (open.isEmpty()) return;
    for (var call : List.copyOf(open)) call.reply.guarded(call.look);
    open.removeIf(call -> call.reply.isGiven());
  }
}
