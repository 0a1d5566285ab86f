package io.headgate;

import io.headgate.reservation.ReservationCommand;
import io.headgate.reservation.ReservationReply;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;

/** Reads the permits that open reservations hold, for explanations and views. Thread-safe. */
final class HoldReader {
  /** The highest number of reservations that are read. */
  static final int MAX_LISTED = 1_000;

  private final TokenReader tokens;
  private final ReservedCounters counters;

  HoldReader(TokenReader tokens, ReservedCounters counters) {
    this.tokens = tokens;
    this.counters = counters;
  }

  CompletionStage<OpenHolds> holds() {
    return tokens
        .store()
        .listed(MAX_LISTED)
        .thenApply(ids -> {
          var holds = new OpenHolds(ids.size() < MAX_LISTED);
          for (var id : ids) tokens.readNow(id).ifPresent(token -> holds.add(id, token));
          return holds;
        });
  }

  CompletionStage<List<HeldPermits.Usage>> largest(Predicate<String> rule, int max) {
    return holds()
        .thenCompose(holds -> {
          var states = new ArrayList<CompletableFuture<Optional<HeldPermits.Usage>>>();
          for (var entry : holds.largest(rule, max)) {
            states.add(usage(entry).toCompletableFuture());
          }
          return CompletableFuture.allOf(states.toArray(CompletableFuture[]::new))
              .thenApply(done ->
                  states.stream().map(CompletableFuture::join).flatMap(Optional::stream).toList());
        });
  }

  /** Reads the state of a counter by one of its reservations. */
  private CompletionStage<Optional<HeldPermits.Usage>> usage(OpenHolds.Entry entry) {
    var token = tokens.readNow(entry.id());
    if (token.isEmpty()) return CompletableFuture.completedStage(Optional.empty());
    var command = counters.expiry(token.get(), entry.id());
    return tokens.store().apply(command).thenApply(reply -> usage(entry.held(), command, reply));
  }

  private static Optional<HeldPermits.Usage> usage(
      HeldPermits held, ReservationCommand command, ReservationReply reply) {
    for (int i = 0; i < reply.counters().size(); i++) {
      var charge = command.entries().get(i).reserved().charge();
      var counter = charge.counter();
      boolean same =
          counter.rule().equals(held.rule())
              && counter.id().equals(held.limit())
              && charge.key().equals(held.key());
      if (!same) continue;
      return Optional.of(
          new HeldPermits.Usage(
              held.withLimit(counter.name()),
              charge.limit().capacity(),
              reply.counters().get(i).remaining()));
    }
    return Optional.empty();
  }
}
