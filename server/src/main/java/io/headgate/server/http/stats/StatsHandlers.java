package io.headgate.server.http.stats;

import io.headgate.RateLimiter;
import io.headgate.http.TextSyntax;
import io.headgate.server.api.AccessControl;
import io.headgate.server.api.JsonWriter;
import io.headgate.server.api.ProblemDocument;
import io.headgate.server.api.ProblemException;
import io.headgate.server.api.Readiness;
import io.headgate.server.api.Role;
import io.headgate.server.callers.CallerList;
import io.headgate.server.callers.CallerMask;
import io.headgate.server.http.protocol.MediaTypes;
import io.headgate.server.http.transport.EventStreams;
import io.headgate.server.http.transport.Exchange;
import io.headgate.server.http.transport.LargeTaskExecutor;
import io.headgate.server.quota.QuotaStats;
import io.headgate.server.rules.RuleRepository;
import io.headgate.server.stats.ClusterCallers;
import io.headgate.server.stats.LoadHistory;
import io.headgate.server.stats.StatsCollector;
import io.headgate.server.stats.StatsSnapshot;
import io.headgate.server.stats.StoreLatency;
import io.headgate.server.store.StoreView;
import io.headgate.store.Budget;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Handles the endpoints for live statistics and callers. One instance serves all event loops, so
 * that an event for several clients is serialized once. Thread-safe.
 */
public final class StatsHandlers {
  private final StatsCollector collector;
  private final ClusterCallers callers;
  private final StatsJson body;
  private final EventStreams streams;
  private final StoreView store;
  private final AccessControl access;
  private final CallerMask mask;
  private final RuleStatsHandlers rules;
  private volatile OptionalLong trackedKeys;

  /**
   * @param quotas the quota assignments of proxies
   * @param instance the name of this process among the instances
   * @param mask how callers are shown without an admin token
   */
  public StatsHandlers(
      StatsCollector collector,
      ClusterCallers callers,
      RateLimiter limiter,
      LoadHistory load,
      RuleRepository repository,
      AccessControl access,
      Readiness readiness,
      StoreLatency storeLatency,
      Supplier<QuotaStats> quotas,
      String instance,
      CallerMask mask) {
    this.collector = collector;
    this.callers = callers;
    this.store = new StoreView(limiter.store());
    this.body =
        new StatsJson(
            instance,
            collector.startedMillis(),
            store,
            storeLatency,
            collector::fallback,
            repository,
            limiter.signals()::levels,
            load,
            quotas);
    this.streams = new EventStreams(readiness, access);
    this.access = access;
    this.mask = mask;
    this.rules = new RuleStatsHandlers(collector, load, repository, instance, this::maskOf);
    this.trackedKeys = store.trackedKeys();
    collector.onSnapshot(snapshot -> load.sample(snapshot.atMillis(), limiter.signals().levels()));
    collector.onSnapshot(this::onSecond);
    repository.follow(snapshot -> streams.rulesChanged(snapshot.number()));
  }

  /** Returns the use of event streams and their refusals. */
  public Budget streamBudget() {
    return streams.budget();
  }

  /** Sends the statistics of the second that has ended to the open streams. */
  private void onSecond(StatsSnapshot snapshot) {
    trackedKeys = store.trackedKeys();
    Supplier<String> whole = () -> body.event(snapshot, trackedKeys, CallerMask.NONE);
    Supplier<String> shown = () -> body.event(snapshot, trackedKeys, mask);
    streams.send(whole, mask.isActive() ? shown : whole);
  }

  /** Returns how callers are shown in the response to a request. */
  public CallerMask maskOf(Exchange exchange) {
    if (!mask.isActive()) return mask;
    var authorization = exchange.requestHeader(HttpHeaders.AUTHORIZATION);
    return access.allows(Role.ADMIN, authorization) ? CallerMask.NONE : mask;
  }

  /** Returns how callers are shown in the log. */
  public CallerMask logMask() {
    return mask;
  }

  /** Returns the handlers of the history and of the statistics of rules. */
  public RuleStatsHandlers rules() {
    return rules;
  }

  /** Answers with the statistics of the last minutes. */
  public void stats(Exchange exchange, byte[] nothing) {
    exchange.header("Cache-Control", "no-store");
    var stats = body.whole(collector.snapshot(), trackedKeys, maskOf(exchange));
    exchange.answer(200, MediaTypes.JSON, stats);
  }

  /** Opens a stream of server-sent events with the statistics of each second. */
  public void stream(Exchange exchange, byte[] nothing) {
    streams.open(exchange);
  }

  /** Answers with the top callers of all instances. */
  public void callers(Exchange exchange, byte[] nothing) {
    var query = CallersQuery.of(exchange);
    var shown = maskOf(exchange);
    exchange.whenComplete(
        serialize(callers::all, list -> query.answer(list, shown)), json -> answer(exchange, json));
  }

  /** Answers with one of the top callers. */
  public void caller(Exchange exchange, byte[] nothing) {
    String name = exchange.segment(CallersQuery.NAME);
    var shown = maskOf(exchange);
    exchange.whenComplete(
        serialize(callers::all, list -> caller(list, name, shown)), json -> answer(exchange, json));
  }

  private JsonWriter caller(CallerList list, String name, CallerMask shown) {
    var found =
        list.callers().stream().filter(entry -> isNamed(entry.caller(), name, shown)).findFirst();
    if (found.isEmpty()) throw unknown(name);
    return CallersQuery.answer(found.get(), collector.series(found.get().caller()), shown);
  }

  /**
   * Returns whether a request names this caller: by its masked name or, if names are shown whole,
   * by its name. Otherwise a guessed name would reveal the caller behind a mask.
   */
  private boolean isNamed(String caller, String name, CallerMask shown) {
    return shown.name(caller).equals(name) || mask.name(caller).equals(name);
  }

  /**
   * Requests and serializes a value off the event loop: sorting and writing a thousand callers
   * takes a while.
   */
  static <T> CompletionStage<Buffer> serialize(
      Supplier<CompletionStage<T>> value, Function<T, JsonWriter> json) {
    return LargeTaskExecutor.supply(
        () -> Buffer.buffer(json.apply(value.get().toCompletableFuture().join()).toString()));
  }

  private static void answer(Exchange exchange, Buffer json) {
    exchange.header("Cache-Control", "no-store");
    exchange.answer(200, MediaTypes.JSON, json);
  }

  private static ProblemException unknown(String name) {
    return new ProblemException(
        ProblemDocument.of(
            404,
            "'%s' is not among the top callers; GET /v1/callers lists them"
                .formatted(TextSyntax.excerpt(name))));
  }
}
