package io.headgate.server.http.stats;

import io.headgate.http.TextSyntax;
import io.headgate.rule.Rule;
import io.headgate.server.api.JsonWriter;
import io.headgate.server.api.ProblemDocument;
import io.headgate.server.api.ProblemException;
import io.headgate.server.callers.CallerMask;
import io.headgate.server.counts.CheckSeries;
import io.headgate.server.counts.Resolution;
import io.headgate.server.http.protocol.MediaTypes;
import io.headgate.server.http.transport.Exchange;
import io.headgate.server.http.transport.LargeTaskExecutor;
import io.headgate.server.rules.RuleRepository;
import io.headgate.server.stats.LoadHistory;
import io.headgate.server.stats.StatsCollector;
import io.vertx.core.buffer.Buffer;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Handles the endpoints for the history of decisions and for the statistics of rules. Responses are
 * serialized on virtual threads. Thread-safe.
 */
public final class RuleStatsHandlers {
  private static final int ID = 3; // /v1/stats/rules/{id}

  private final StatsCollector collector;
  private final LoadHistory load;
  private final RuleRepository repository;
  private final RuleStatsJson body;
  private final LastChanges changes;
  private final Function<Exchange, CallerMask> masks;

  /**
   * @param instance the name of this process among the instances
   * @param masks returns how callers are shown in the response to a request
   */
  RuleStatsHandlers(
      StatsCollector collector,
      LoadHistory load,
      RuleRepository repository,
      String instance,
      Function<Exchange, CallerMask> masks) {
    this.collector = collector;
    this.load = load;
    this.repository = repository;
    this.body = new RuleStatsJson(instance, collector.startedMillis());
    this.changes = new LastChanges(repository, System::nanoTime);
    this.masks = masks;
  }

  /** Answers with the decisions of a range of time, of all rules or of one. */
  public void history(Exchange exchange, byte[] nothing) {
    var query = exchange.query(Set.of("range", "rule"));
    var resolution = resolution(query.text("range").orElse(Resolution.SECONDS.range()));
    var rule = query.text("rule").filter(id -> !id.isEmpty());
    answer(exchange, () -> history(resolution, rule));
  }

  private JsonWriter history(Resolution resolution, Optional<String> rule) {
    if (rule.isEmpty()) {
      return body.history(collector.history(resolution), Optional.empty(), true);
    }
    String id = rule.get();
    CheckSeries series = collector.history(resolution, id);
    if (inForce(id).isEmpty() && !collector.rule(id).isCounted()) throw unknown(id);
    return body.history(series, rule, collector.isTracked(resolution, id));
  }

  private static Resolution resolution(String range) {
    return Resolution.ofRange(range)
        .orElseThrow(() ->
            ProblemException.badInput(
                "range", "must be 5m, 1h or 24h, got '%s'".formatted(TextSyntax.excerpt(range))));
  }

  /** Answers with the last minute, the last denial and the last change of each rule in force. */
  public void list(Exchange exchange, byte[] nothing) {
    exchange.query(Set.of());
    answer(
        exchange,
        () -> {
          var snapshot = repository.inForce();
          var rules = snapshot.rules().rules();
          var minutes = collector.lastMinute(rules.stream().map(Rule::id).toList());
          var other = collector.rule(StatsCollector.OTHER_RULES).lastMinute();
          long now = collector.snapshot().atMillis();
          return body.list(now, snapshot.number(), rules, minutes, changes.all(), other);
        });
  }

  /** Answers with the statistics of one rule. */
  public void show(Exchange exchange, byte[] nothing) {
    exchange.query(Set.of());
    String id = exchange.segment(ID);
    var mask = masks.apply(exchange);
    answer(
        exchange,
        () -> {
          var rule = inForce(id);
          var activity = collector.rule(id);
          if (rule.isEmpty() && !activity.isCounted()) throw unknown(id);
          var change = Optional.ofNullable(changes.all().get(id));
          long now = collector.snapshot().atMillis();
          return body.rule(now, id, rule, activity, change, load.series(id), mask);
        });
  }

  private Optional<Rule> inForce(String id) {
    return repository.inForce().rules().rules().stream()
        .filter(rule -> rule.id().equals(id))
        .findFirst();
  }

  private static ProblemException unknown(String id) {
    return new ProblemException(
        ProblemDocument.of(
            404,
            "there is no rule '%s', and there are no statistics of it; GET /v1/stats/rules lists them"
                .formatted(TextSyntax.excerpt(id))));
  }

  private static void answer(Exchange exchange, Supplier<JsonWriter> json) {
    exchange.whenComplete(
        LargeTaskExecutor.supply(() -> Buffer.buffer(json.get().toString())),
        text -> {
          exchange.header("Cache-Control", "no-store");
          exchange.answer(200, MediaTypes.JSON, text);
        });
  }
}
