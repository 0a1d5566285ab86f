package io.headgate.system.endurance;

import io.headgate.Costs;
import io.headgate.client.ClientOptions;
import io.headgate.client.HeadgateClient;
import io.headgate.client.RemoteResult;
import io.headgate.rule.Request;
import io.headgate.rule.Subject;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Calls of the Java client, with local leases. */
final class ClientCalls implements Calls {
  private static final Duration DEADLINE = Duration.ofSeconds(20);

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
    return switch (random.nextInt(20)) {
      case 0 -> slot(Subject.of(Keys.of("slots:", random)));
      case 1 -> reservation(Subject.of(Keys.of("reserved:", random)));
      default -> check(Keys.any(random));
    };
  }

  private CompletionStage<Reply> check(String key) {
    boolean strict = key.equals(Keys.STRICT);
    return client
        .checkForResultAsync(Subject.of(key))
        .thenApply(result -> new Reply(decision(result), strict));
  }

  private CompletionStage<Reply> slot(Subject subject) {
    return client
        .acquireAsync(Request.of(subject))
        .thenCompose(slot -> {
          var decision = decision(slot.result());
          var id = slot.id();
          if (id.isEmpty()) return CompletableFuture.completedStage(new Reply(decision, false));
          return client.releaseAsync(id.get()).thenApply(released -> new Reply(decision, false));
        });
  }

  private CompletionStage<Reply> reservation(Subject subject) {
    return client
        .reserveAsync(subject, Costs.plain(10), Duration.ofSeconds(2))
        .thenCompose(made -> {
          var decision = decision(made.result());
          if (made.id().isEmpty() || decision == Reply.Decision.FALLBACK) {
            return CompletableFuture.completedStage(new Reply(decision, false));
          }
          return made.settleAsync(Costs.plain(7)).thenApply(state -> new Reply(decision, false));
        });
  }

  private static Reply.Decision decision(RemoteResult result) {
    if (result.failure().isPresent()) {
      throw new IllegalStateException("the client decided: " + result.failure().get());
    }
    if (result.source() == io.headgate.store.Source.FALLBACK) return Reply.Decision.FALLBACK;
    return result.isAllowed() ? Reply.Decision.ADMITTED : Reply.Decision.DENIED;
  }

  @Override
  public void close() {
    client.close();
  }
}
