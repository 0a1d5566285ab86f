package io.headgate.system.endurance;

import io.headgate.Costs;
import io.headgate.client.ClientOptions;
import io.headgate.client.HeadgateClient;
import io.headgate.client.RemoteResult;
import io.headgate.rule.Request;
import io.headgate.rule.Subject;
import io.headgate.store.Source;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Calls of the Java client, with local leases. */
final class ClientCalls implements Calls {
  private static final Duration DEADLINE = Duration.ofSeconds(20);

  /** One of so many calls is a reservation. */
  static final int RESERVATION_IN = 60;

  private final HeadgateClient client;

  ClientCalls(int port) {
    this.client =
        HeadgateClient.connect(
            ClientOptions.builder("http://127.0.0.1:" + port)
                .deadline(DEADLINE)
                .localLeases(1_000)
                .build());
  }

  @Override
  public CompletionStage<Reply> call(SplittableRandom random) {
    var reply =
        switch (random.nextInt(RESERVATION_IN)) {
          case 0 -> reservation(Subject.of(Keys.of("reserved:", random)));
          case 1, 2, 3, 4, 5 -> slot(Subject.of(Keys.of("slots:", random)));
          default -> check(Keys.any(random));
        };
    return reply.exceptionallyCompose(ClientCalls::failed);
  }

  /** A release or a settlement needs the store, and is 503 without it. */
  private static CompletionStage<Reply> failed(Throwable failure) {
    return String.valueOf(failure.getMessage()).contains("replied 503")
        ? CompletableFuture.completedStage(Reply.LATE)
        : CompletableFuture.failedStage(failure);
  }

  private CompletionStage<Reply> check(String key) {
    boolean strict = key.equals(Keys.STRICT);
    return client.checkForResultAsync(Subject.of(key)).thenApply(result -> reply(result, strict));
  }

  private CompletionStage<Reply> slot(Subject subject) {
    return client
        .acquireAsync(Request.of(subject))
        .thenCompose(slot -> {
          var reply = CompletableFuture.completedStage(reply(slot.result(), false));
          var id = slot.id();
          return id.isEmpty()
              ? reply
              : client.releaseAsync(id.get()).thenCompose(released -> reply);
        });
  }

  private CompletionStage<Reply> reservation(Subject subject) {
    return client
        .reserveAsync(subject, Costs.plain(10), Duration.ofSeconds(2))
        .thenCompose(made -> {
          var reply = reply(made.result(), false);
          return made.id().isEmpty() || reply.equals(Reply.LATE)
              ? CompletableFuture.completedStage(reply)
              : made.settleAsync(Costs.plain(7)).thenApply(state -> reply);
        });
  }

  private static Reply reply(RemoteResult result, boolean strict) {
    if (result.failure().isPresent()) {
      throw new IllegalStateException("the client decided: " + result.failure().get());
    }
    return Reply.of(
        result.isAllowed(),
        result.source() == Source.FALLBACK,
        result.source() == Source.CACHE,
        strict);
  }

  @Override
  public void close() {
    client.close();
  }
}
