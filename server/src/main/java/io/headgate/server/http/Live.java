package io.headgate.server.http;

import io.headgate.RateLimiter;
import io.headgate.server.rules.RuleBook;
import io.headgate.server.store.StoreView;
import io.headgate.server.watch.Figures;
import io.headgate.server.watch.FleetCallers;
import io.headgate.server.watch.StoreTimes;
import io.headgate.server.watch.Watch;
import java.util.Optional;

/**
 * What goes on right now, for people who look: one for all event loops, so that what is shown to
 * several is written once.
 */
public final class Live {
  private static final long BETWEEN_LOOKS = 5_000; // at how much the store holds

  private final Watch watch;
  private final FleetCallers callers;
  private final StatsBody body;
  private final EventStreams streams;
  private final StoreView store;
  private volatile long trackedKeys;
  private volatile long lookedAt;

  /**
   * @param instance what to call this process, among those of its fleet
   */
  public Live(
      Watch watch,
      FleetCallers callers,
      RateLimiter limiter,
      RuleBook book,
      Readiness readiness,
      StoreTimes storeTimes,
      String instance) {
    this.watch = watch;
    this.callers = callers;
    this.store = new StoreView(limiter.store());
    this.body = new StatsBody(instance, watch.startedMillis(), store, storeTimes, book);
    this.streams = new EventStreams(readiness);
    this.trackedKeys = store.isRemote() ? 0 : store.store().trackedKeys();
    watch.follow(this::ended);
    book.follow(edition -> streams.rulesChanged(edition.number()));
  }

  /** A second has ended. */
  private void ended(Figures figures) {
    look(figures.atMillis());
    streams.send(() -> body.event(figures, trackedKeys));
  }

  /** What is kept elsewhere takes a while to count, and nobody waits for it. */
  private void look(long now) {
    if (store.isAway() || (store.isRemote() && now - lookedAt < BETWEEN_LOOKS)) return;
    lookedAt = now;
    if (store.isRemote()) Thread.startVirtualThread(this::count);
    else count();
  }

  private void count() {
    trackedKeys = store.store().trackedKeys();
  }

  void stats(Exchange exchange, byte[] nothing) {
    exchange.header("Cache-Control", "no-store");
    exchange.answer(200, MediaTypes.JSON, body.whole(watch.figures(), trackedKeys));
  }

  void stream(Exchange exchange, byte[] nothing) {
    streams.open(exchange);
  }

  void callers(Exchange exchange, byte[] nothing) {
    var question = CallersQuestion.of(exchange);
    exchange.when(
        callers.all(),
        list -> {
          exchange.header("Cache-Control", "no-store");
          exchange.answer(200, MediaTypes.JSON, question.answer(list));
        });
  }

  void caller(Exchange exchange, byte[] nothing) {
    String name = exchange.segment(CallersQuestion.NAME);
    exchange.when(
        callers.all().thenCombine(Asking.aside(() -> watch.series(name)), Found::new),
        found -> {
          var figures =
              found.list.callers().stream().filter(one -> one.caller().equals(name)).findFirst();
          if (figures.isEmpty()) throw unknown(name);
          exchange.header("Cache-Control", "no-store");
          exchange.answer(
              200, MediaTypes.JSON, CallersQuestion.answer(figures.get(), found.series));
        });
  }

  private record Found(
      io.headgate.server.watch.CallerList list,
      Optional<io.headgate.server.watch.CallerSeries> series) {}

  private static Refusal unknown(String name) {
    return new Refusal(
        Problem.of(
            404,
            "'%s' is not among the callers that ask most; GET /v1/callers lists them"
                .formatted(Texts.shown(name))));
  }
}
