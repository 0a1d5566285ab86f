package io.headgate.server.http.check;

import io.headgate.LimitReport;
import io.headgate.RateLimiter;
import io.headgate.RuleExplanation;
import io.headgate.http.TextSyntax;
import io.headgate.redis.RegionalStore;
import io.headgate.rule.MatchExplanation.Condition;
import io.headgate.rule.Mode;
import io.headgate.rule.Rule;
import io.headgate.rule.Subject;
import io.headgate.server.api.AccessControl;
import io.headgate.server.api.JsonWriter;
import io.headgate.server.api.ProblemDocument;
import io.headgate.server.api.ProblemException;
import io.headgate.server.callers.CallerMask;
import io.headgate.server.check.CheckService;
import io.headgate.server.http.protocol.MediaTypes;
import io.headgate.server.http.transport.Exchange;
import io.headgate.server.store.StoreView;
import java.util.Comparator;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles the endpoints that explain which rules apply to a subject and that reset its counters.
 */
public final class ExplainHandlers {
  private static final Logger AUDIT = LoggerFactory.getLogger("io.headgate.audit");
  private static final int MAX_NEAR_MISSES = 20;
  private static final int MAX_NAMED = 10;
  private static final Comparator<RuleExplanation> NEAREST_FIRST =
      Comparator.<RuleExplanation>comparingLong(e -> -e.explanation().met())
          .thenComparingLong(e -> e.explanation().conditions().size());

  private final RateLimiter limiter;
  private final CheckService checkService;
  private final AccessControl access;
  private final CallerMask mask;

  /**
   * @param mask how subjects are shown in the audit log
   */
  public ExplainHandlers(
      RateLimiter limiter, CheckService checkService, AccessControl access, CallerMask mask) {
    this.limiter = limiter;
    this.checkService = checkService;
    this.access = access;
    this.mask = mask;
  }

  /** Answers with the rules that apply to a subject and those that nearly do. */
  public void explain(Exchange exchange, byte[] body) {
    var check = CheckRequestReader.readOne(body, CheckField.OF_EXPLAIN);
    var subject = check.subject();
    var unused = unused(exchange, check);
    checkService.call(
        exchange,
        limiter -> limiter.explain(subject),
        all -> answer(exchange, subject, all, unused));
  }

  /** Returns the unused costs; a request without costs is explained even if a rule needs one. */
  private List<String> unused(Exchange exchange, CheckRequest check) {
    boolean strict = exchange.isStrict();
    boolean hasCosts = !check.request().costs().isEmpty() || check.request().cost() > 1;
    return hasCosts ? checkService.costs().unused(check.request(), strict) : List.of();
  }

  private void answer(
      Exchange exchange, Subject subject, List<RuleExplanation> all, List<String> unused) {
    var out = new JsonWriter().begin();
    out.name("subject").begin();
    subject.attributes().forEach(out::member);
    out.end();
    var applying = all.stream().filter(e -> e.explanation().applies()).toList();
    CheckResultJson.writeUnused(out, unused);
    write(out.name("rules"), applying, subject);
    out.name("notApplying").value(all.size() - applying.size());
    write(
        out.name("nearMisses"),
        all.stream()
            .filter(e -> !e.explanation().applies())
            .sorted(NEAREST_FIRST)
            .limit(MAX_NEAR_MISSES)
            .toList(),
        subject);
    new StoreView(limiter.store()).region().ifPresent(region -> writeRegion(out, region));
    exchange.answer(200, MediaTypes.JSON, out.end());
  }

  /** Writes what the figures of shared rules are based on: while home is away, the share alone. */
  private static void writeRegion(JsonWriter out, RegionalStore region) {
    out.name("region").begin().name("name").value(region.options().region());
    out.name("homeReachable").value(region.isHomeReady()).end();
  }

  /** Resets the counters of one rule for a subject, and writes an audit log line. */
  public void reset(Exchange exchange, byte[] body) {
    var target = CheckRequestReader.readOne(body, CheckField.OF_RESET);
    checkService.call(
        exchange,
        limiter -> limiter.reset(target.subject(), target.rule()),
        applies -> {
          if (!applies) throw noSuchRule(target.rule());
          AUDIT.info(
              "reset: {} from {} reset rule {} of {}",
              access.auditName(exchange.requestHeader("Authorization")),
              exchange.peer(),
              TextSyntax.excerpt(target.rule()),
              TextSyntax.excerpt(mask.subject(target.subject().attributes()).toString()));
          var out = new JsonWriter().begin();
          out.name("reset").value(true).name("rule").value(target.rule());
          exchange.answer(200, MediaTypes.JSON, out.end());
        });
  }

  private ProblemException noSuchRule(String id) {
    var ids = limiter.rules().rules().stream().map(Rule::id).toList();
    String detail =
        ids.contains(id)
            ? "rule '%s' does not apply to this subject; POST /v1/explain explains why"
                .formatted(id)
            : "there is no rule '%s'; existing rules: %s"
                .formatted(TextSyntax.excerpt(id), ids.isEmpty() ? "none" : some(ids));
    return new ProblemException(ProblemDocument.of(404, "rule", detail));
  }

  private static String some(List<String> ids) {
    String named = String.join(", ", ids.subList(0, Math.min(MAX_NAMED, ids.size())));
    return ids.size() <= MAX_NAMED
        ? named
        : named + " and %d more".formatted(ids.size() - MAX_NAMED);
  }

  private static void write(JsonWriter out, List<RuleExplanation> rules, Subject subject) {
    out.beginList();
    for (var rule : rules) write(out, rule, subject);
    out.endList();
  }

  private static void write(JsonWriter out, RuleExplanation ruleExplanation, Subject subject) {
    var explanation = ruleExplanation.explanation();
    out.begin();
    out.name("id").value(explanation.rule().id());
    out.name("applies").value(explanation.applies());
    out.name("reason").value(explanation.reason());
    out.name("mode").value(mode(explanation.rule().mode()));
    out.name("override");
    // Counted from 1, as in the reason.
    if (explanation.override().isPresent()) out.value(explanation.override().getAsInt() + 1L);
    else out.nullValue();
    out.name("remaining");
    var remaining = ruleExplanation.remaining();
    if (remaining.isPresent()) out.value(remaining.getAsLong());
    else out.nullValue();
    out.name("conditions").beginList();
    for (var condition : explanation.conditions()) write(out, condition);
    out.endList();
    out.name("limits").beginList();
    for (var report : ruleExplanation.limits()) write(out, report, subject);
    out.endList();
    if (!ruleExplanation.held().isEmpty()) {
      out.name("reservations").beginList();
      for (var report : ruleExplanation.limits()) {
        ruleExplanation.usage(report).ifPresent(usage -> ReservationJson.write(out, usage));
      }
      out.endList();
    }
    ruleExplanation.shedding().ifPresent(shedding -> SheddingJson.write(out, shedding));
    out.end();
  }

  /** Writes a limit with the attributes that it is counted by, and the key of the counter. */
  private static void write(JsonWriter out, LimitReport report, Subject subject) {
    out.begin();
    CheckResultJson.writeLimitFields(out, report, 0);
    out.name("per").value(report.per());
    out.name("key").value(report.keyOf(subject));
    report.cost().ifPresent(cost -> out.name("cost").value(cost));
    out.end();
  }

  private static void write(JsonWriter out, Condition condition) {
    out.begin();
    out.name("attribute").value(condition.attribute());
    out.name("pattern").value(condition.pattern());
    out.name("value").value(condition.value());
    out.name("met").value(condition.met());
    out.end();
  }

  private static String mode(Mode mode) {
    return switch (mode) {
      case ENFORCE -> "enforce";
      case SHADOW -> "shadow";
      case OFF -> "off";
    };
  }
}
