package io.headgate.server.http.check;

import io.headgate.RateLimiter;
import io.headgate.RuleExplanation;
import io.headgate.rule.MatchExplanation.Condition;
import io.headgate.rule.Mode;
import io.headgate.rule.Rule;
import io.headgate.rule.Subject;
import io.headgate.server.api.AccessControl;
import io.headgate.server.api.JsonWriter;
import io.headgate.server.api.ProblemDocument;
import io.headgate.server.api.ProblemException;
import io.headgate.server.api.TextSyntax;
import io.headgate.server.http.protocol.MediaTypes;
import io.headgate.server.http.transport.Exchange;
import java.util.Comparator;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The endpoints for people who ask why, and who make good. */
public final class ExplainHandlers {
  private static final Logger AUDIT = LoggerFactory.getLogger("io.headgate.audit");
  private static final int MOST_NEAR_MISSES = 20;
  private static final int MOST_NAMED = 10;
  private static final Comparator<RuleExplanation> NEAREST_FIRST =
      Comparator.<RuleExplanation>comparingLong(e -> -e.explanation().met())
          .thenComparingLong(e -> e.explanation().conditions().size());

  private final RateLimiter limiter;
  private final CheckService asking;
  private final AccessControl access;

  public ExplainHandlers(RateLimiter limiter, CheckService asking, AccessControl access) {
    this.limiter = limiter;
    this.asking = asking;
    this.access = access;
  }

  public void explain(Exchange exchange, byte[] body) {
    var subject = CheckRequestReader.readOne(body, CheckField.OF_EXPLAIN).subject();
    asking.ask(exchange, () -> limiter.explain(subject), all -> answer(exchange, subject, all));
  }

  private static void answer(Exchange exchange, Subject subject, List<RuleExplanation> all) {
    var out = new JsonWriter().begin();
    out.name("subject").begin();
    subject.attributes().forEach(out::member);
    out.end();
    write(out.name("rules"), all.stream().filter(e -> e.explanation().applies()).toList());
    write(
        out.name("nearMisses"),
        all.stream()
            .filter(e -> !e.explanation().applies())
            .sorted(NEAREST_FIRST)
            .limit(MOST_NEAR_MISSES)
            .toList());
    exchange.answer(200, MediaTypes.JSON, out.end());
  }

  public void reset(Exchange exchange, byte[] body) {
    var asked = CheckRequestReader.readOne(body, CheckField.OF_RESET);
    asking.ask(
        exchange,
        () -> limiter.reset(asked.subject(), asked.rule()),
        applies -> {
          if (!applies) throw noSuchRule(asked.rule());
          AUDIT.info(
              "reset: {} from {} reset rule {} of {}",
              access.auditName(exchange.asked("Authorization")),
              exchange.peer(),
              TextSyntax.shown(asked.rule()),
              TextSyntax.shown(asked.subject().attributes().toString()));
          var out = new JsonWriter().begin();
          out.name("reset").value(true).name("rule").value(asked.rule());
          exchange.answer(200, MediaTypes.JSON, out.end());
        });
  }

  private ProblemException noSuchRule(String id) {
    var ids = limiter.rules().rules().stream().map(Rule::id).toList();
    String detail =
        ids.contains(id)
            ? "rule '%s' does not apply to this subject; POST /v1/explain says why".formatted(id)
            : "there is no rule '%s'; there %s"
                .formatted(TextSyntax.shown(id), ids.isEmpty() ? "are none" : "are " + some(ids));
    return new ProblemException(ProblemDocument.of(404, "rule", detail));
  }

  private static String some(List<String> ids) {
    String named = String.join(", ", ids.subList(0, Math.min(MOST_NAMED, ids.size())));
    return ids.size() <= MOST_NAMED
        ? named
        : named + " and %d more".formatted(ids.size() - MOST_NAMED);
  }

  private static void write(JsonWriter out, List<RuleExplanation> rules) {
    out.beginList();
    for (var rule : rules) write(out, rule);
    out.endList();
  }

  private static void write(JsonWriter out, RuleExplanation explained) {
    var explanation = explained.explanation();
    out.begin();
    out.name("id").value(explanation.rule().id());
    out.name("applies").value(explanation.applies());
    out.name("reason").value(explanation.reason());
    out.name("mode").value(mode(explanation.rule().mode()));
    out.name("override");
    // Counted from 1, as in the reason.
    if (explanation.override().isPresent()) out.value(explanation.override().getAsInt() + 1L);
    else out.nothing();
    out.name("conditions").beginList();
    for (var condition : explanation.conditions()) write(out, condition);
    out.endList();
    out.name("limits").beginList();
    for (var report : explained.limits()) CheckResultJson.writeLimit(out, report, 0);
    out.endList();
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
