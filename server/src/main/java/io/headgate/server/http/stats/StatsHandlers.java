package io.headgate.server.http.stats;

import io.headgate.RateLimiter;
import io.headgate.server.api.AccessControl;
import io.headgate.server.api.JsonWriter;
import io.headgate.server.api.ProblemDocument;
import io.headgate.server.api.ProblemException;
import io.headgate.server.api.Readiness;
import io.headgate.server.api.TextSyntax;
import io.headgate.server.callers.CallerList;
import io.headgate.server.http.protocol.MediaTypes;
import io.headgate.server.http.transport.EventStreams;
import io.headgate.server.http.transport.Exchange;
import io.headgate.server.http.transport.LargeTaskExecutor;
import io.headgate.server.rules.RuleRepository;
import io.headgate.server.stats.ClusterCallers;
import io.headgate.server.stats.StatsCollector;
import io.headgate.server.stats.StatsSnapshot;
import io.headgate.server.stats.StoreLatency;
import io.headgate.server.store.StoreView;
import io.vertx.core.buffer.Buffer;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * What goes on right now, for people who look: one for all event loops, so that what is shown to
 * several is written once.
 */
public final class StatsHandlers {
  private static final long BETWEEN_LOOKS = 5_000; // at how much the store holds

  private final StatsCollector watch;
  private final ClusterCallers callers;
  private final StatsJson body;
  private final EventStreams streams;
  private final StoreView store;
  private volatile long trackedKeys;
  private volatile long lookedAt;

  /**
   * @param instance what to call this process, among those of its fleet
   */
  public StatsHandlers(
      StatsCollector watch,
      ClusterCallers callers,
      RateLimiter limiter,
      RuleRepository book,
      AccessControl access,
      Readiness readiness,
      StoreLatency storeTimes,
      String instance) {
    this.watch = watch;
    this.callers = callers;
    this.store = new StoreView(limiter.store());
    this.body = new StatsJson(instance, watch.startedMillis(), store, storeTimes, book);
    this.streams = new EventStreams(readiness, access);
    this.trackedKeys = store.isRemote() ? 0 : store.store().trackedKeys();
    watch.follow(this::ended);
    book.follow(edition -> streams.rulesChanged(edition.number()));
  }

  /** A second has ended. */
  private void ended(StatsSnapshot figures) {
    look(figures.atMillis());
    streams.send(() -> body.event(figures, trackedKeys));
  }

  /** What is kept elsewhere takes a while to count, and nobody waits for it. */
  private void look(long now) {
    if (store.isUnavailable() || (store.isRemote() && now - lookedAt < BETWEEN_LOOKS)) return;
    lookedAt = now;
    if (store.isRemote()) Thread.startVirtualThread(this::count);
    else count();
  }

  private void count() {
    trackedKeys = store.store().trackedKeys();
  }

  public void stats(Exchange exchange, byte[] nothing) {
    exchange.header("Cache-Control", "no-store");
    exchange.answer(200, MediaTypes.JSON, body.whole(watch.figures(), trackedKeys));
  }

  public void stream(Exchange exchange, byte[] nothing) {
    streams.open(exchange);
  }

  public void callers(Exchange exchange, byte[] nothing) {
    var question = CallersQuery.of(exchange);
    exchange.when(written(callers.all(), question::answer), json -> answer(exchange, json));
  }

  public void caller(Exchange exchange, byte[] nothing) {
    String name = exchange.segment(CallersQuery.NAME);
    exchange.when(written(callers.all(), list -> one(list, name)), json -> answer(exchange, json));
  }

  private JsonWriter one(CallerList list, String name) {
    var figures = list.callers().stream().filter(one -> one.caller().equals(name)).findFirst();
    if (figures.isEmpty()) throw unknown(name);
    return CallersQuery.answer(figures.get(), watch.series(name));
  }

  /** A thousand callers take a while to sort and to write: an event loop does not do that. */
  static <T> CompletionStage<Buffer> written(
      CompletionStage<T> stage, Function<T, JsonWriter> json) {
    return stage.thenApplyAsync(
        value -> Buffer.buffer(json.apply(value).toString()), LargeTaskExecutor.EXECUTOR);
  }

  private static void answer(Exchange exchange, Buffer json) {
    exchange.header("Cache-Control", "no-store");
    exchange.answer(200, MediaTypes.JSON, json);
  }

  private static ProblemException unknown(String name) {
    return new ProblemException(
        ProblemDocument.of(
            404,
            "'%s' is not among the callers that ask most; GET /v1/callers lists them"
                .formatted(TextSyntax.shown(name))));
  }
}
