package io.headgate.server.http.admin;

import io.headgate.http.TextSyntax;
import io.headgate.rule.Rule;
import io.headgate.rulefile.RuleFile;
import io.headgate.server.api.JsonWriter;
import io.headgate.server.api.ProblemException;
import io.headgate.server.http.protocol.MediaTypes;
import io.headgate.server.http.protocol.QueryString;
import io.headgate.server.http.transport.Exchange;
import io.headgate.server.rules.ChangeInfo;
import io.headgate.server.rules.ExpectedRevision;
import io.headgate.server.rules.Revision;
import io.headgate.server.rules.RuleDiff;
import io.headgate.server.rules.RuleRepository;
import io.headgate.server.rules.RuleRepositoryException;
import io.headgate.server.rules.RuleRevision;
import io.headgate.server.rules.RuleSnapshot;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;

/** Handles the endpoints for revisions of the rules. */
public final class RevisionHandlers {
  private static final int NUMBER = 2; // /v1/revisions/{number}
  private static final int DEFAULT_LIMIT = 50;
  private static final int MAX_LIMIT = 1_000;

  private final RuleRepository repository;
  private final RuleChangeHandlers changes;

  /**
   * @param changes applies restores
   */
  public RevisionHandlers(RuleRepository repository, RuleChangeHandlers changes) {
    this.repository = repository;
    this.changes = changes;
  }

  /** Answers with a page of revisions, of all rules or of one, the newest first. */
  public void history(Exchange exchange, byte[] body) {
    var query = exchange.query(Set.of("before", "limit", "rule"));
    long before = query.wholeNumber("before", 1, Long.MAX_VALUE).orElse(Long.MAX_VALUE);
    int limit = (int) query.wholeNumber("limit", 1, MAX_LIMIT).orElse(DEFAULT_LIMIT);
    var rule = query.text("rule").filter(id -> !id.isEmpty());
    exchange.whenComplete(
        RuleChangeHandlers.onVirtualThread(() ->
            rule.isEmpty()
                ? page(repository.history(before, limit), limit)
                : pageOfRule(repository.history(rule.get(), before, limit), limit)),
        page -> {
          exchange.header("Cache-Control", "no-cache");
          exchange.answer(200, MediaTypes.JSON, page);
        });
  }

  private static JsonWriter page(List<Revision> revisions, int limit) {
    var out = new JsonWriter().begin().name("revisions").beginList();
    for (var revision : revisions) RevisionJson.write(out, revision);
    return end(out, revisions, limit);
  }

  private static JsonWriter pageOfRule(List<RuleRevision> history, int limit) {
    var out = new JsonWriter().begin().name("revisions").beginList();
    for (var entry : history) RevisionJson.write(out, entry);
    return end(out, history.stream().map(RuleRevision::revision).toList(), limit);
  }

  private static JsonWriter end(JsonWriter out, List<Revision> revisions, int limit) {
    out.endList();
    boolean more = revisions.size() == limit && revisions.getLast().number() > 1;
    if (more) out.name("next").value(revisions.getLast().number());
    return out.end();
  }

  /** Answers with one revision and its changes, or with its rules as YAML. */
  public void show(Exchange exchange, byte[] body) {
    long number = number(exchange);
    var query = exchange.query(Set.of("rules", "against"));
    boolean rules = query.flag("rules");
    var against = query.wholeNumber("against", 1, Long.MAX_VALUE);
    boolean yaml = exchange.requestHeader("Accept").map(MediaTypes::prefersYaml).orElse(false);
    exchange.header("Vary", "Accept");
    exchange.whenComplete(
        RuleChangeHandlers.onVirtualThread(
            () -> yaml ? yaml(number) : json(number, against, rules)),
        answer -> answer.send(exchange));
  }

  private RuleChangeHandlers.Answer yaml(long number) {
    var text = RuleFile.yaml(repository.at(number).rules().rules());
    return new RuleChangeHandlers.Answer(200, number, MediaTypes.YAML, Buffer.buffer(text));
  }

  private RuleChangeHandlers.Answer json(long number, OptionalLong against, boolean withRules) {
    var snapshot = repository.at(number);
    var rules = snapshot.rules().rules();
    var before = against.isPresent() ? Optional.of(rulesAt(against.getAsLong())) : previous(number);
    var out = new JsonWriter().begin();
    RevisionJson.write(out.name("revision"), snapshot.revision());
    if (before.isPresent()) {
      RevisionJson.write(out.name("diff"), RuleDiff.of(before.get(), rules));
    }
    if (withRules) {
      out.name("rules").beginList();
      for (var rule : rules) out.json(RuleFile.json(rule));
      out.endList();
    }
    return RuleChangeHandlers.Answer.of(200, number, out.end());
  }

  private List<Rule> rulesAt(long number) {
    return repository.at(number).rules().rules();
  }

  /** Returns the rules of the revision before; empty if it is no longer stored. */
  private Optional<List<Rule>> previous(long number) {
    if (number == 1) return Optional.of(List.of());
    try {
      return Optional.of(rulesAt(number - 1));
    } catch (RuleRepositoryException.NoSuchRevision e) {
      return Optional.empty();
    }
  }

  /** Restores the rules of a revision as a new revision. */
  public void restore(Exchange exchange, byte[] body) {
    long number = number(exchange);
    changes.answer(exchange, () -> new Restore(number, rulesAt(number)));
  }

  private record Restore(long number, List<Rule> rules) implements RuleChangeHandlers.Change {
    @Override
    public List<Rule> edit(List<Rule> current) {
      return rules;
    }

    @Override
    public RuleSnapshot apply(
        RuleRepository repository,
        ExpectedRevision expected,
        ChangeInfo change,
        Consumer<List<Rule>> before) {
      long seen = repository.latest().number();
      var snapshot = repository.restore(number, expected, change);
      var changed = snapshot.number() > seen ? repository.at(snapshot.number() - 1) : snapshot;
      before.accept(changed.rules().rules());
      return snapshot;
    }
  }

  private static long number(Exchange exchange) {
    String given = exchange.segment(NUMBER);
    return QueryString.parseNumber(given)
        .orElseThrow(() ->
            ProblemException.badInput(
                "number",
                "of a revision is a whole number, got '%s'".formatted(TextSyntax.excerpt(given))));
  }
}
