package io.headgate.server.http.admin;

import io.headgate.rule.Rule;
import io.headgate.rulefile.RuleFile;
import io.headgate.server.api.JsonWriter;
import io.headgate.server.api.ProblemException;
import io.headgate.server.api.TextSyntax;
import io.headgate.server.http.protocol.MediaTypes;
import io.headgate.server.http.protocol.QueryString;
import io.headgate.server.http.transport.Exchange;
import io.headgate.server.rules.ChangeInfo;
import io.headgate.server.rules.RuleDiff;
import io.headgate.server.rules.RuleRepository;
import io.headgate.server.rules.RuleRepositoryException;
import io.headgate.server.rules.RuleSnapshot;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;

/** The endpoints for what the rules have been. */
public final class RevisionHandlers {
  private static final int NUMBER = 2; // /v1/revisions/{number}
  private static final int FEW = 50;
  private static final int MOST = 1_000;

  private final RuleRepository book;
  private final RuleChangeHandlers changes;

  public RevisionHandlers(RuleRepository book, RuleChangeHandlers changes) {
    this.book = book;
    this.changes = changes;
  }

  public void history(Exchange exchange, byte[] body) {
    var query = exchange.query(Set.of("before", "limit"));
    long before = query.whole("before", 1, Long.MAX_VALUE).orElse(Long.MAX_VALUE);
    int most = (int) query.whole("limit", 1, MOST).orElse(FEW);
    exchange.when(
        RuleChangeHandlers.onVirtualThread(() -> book.history(before, most)),
        revisions -> {
          var out = new JsonWriter().begin().name("revisions").beginList();
          for (var revision : revisions) RevisionJson.write(out, revision);
          out.endList();
          boolean more = revisions.size() == most && revisions.getLast().number() > 1;
          if (more) out.name("next").value(revisions.getLast().number());
          exchange.header("Cache-Control", "no-cache");
          exchange.answer(200, MediaTypes.JSON, out.end());
        });
  }

  /** One revision and what it changed, or its rules in YAML. */
  public void show(Exchange exchange, byte[] body) {
    long number = number(exchange);
    var query = exchange.query(Set.of("rules", "against"));
    boolean rules = query.truth("rules");
    var against = query.whole("against", 1, Long.MAX_VALUE);
    boolean yaml = exchange.asked("Accept").map(MediaTypes::prefersYaml).orElse(false);
    exchange.header("Vary", "Accept");
    exchange.when(
        RuleChangeHandlers.onVirtualThread(
            () -> yaml ? yaml(number) : json(number, against, rules)),
        answer -> answer.give(exchange));
  }

  private RuleChangeHandlers.Answer yaml(long number) {
    var text = RuleFile.yaml(book.at(number).rules().rules());
    return new RuleChangeHandlers.Answer(200, number, MediaTypes.YAML, Buffer.buffer(text));
  }

  private RuleChangeHandlers.Answer json(long number, OptionalLong against, boolean withRules) {
    var edition = book.at(number);
    var rules = edition.rules().rules();
    var before = against.isPresent() ? Optional.of(rulesAt(against.getAsLong())) : previous(number);
    var out = new JsonWriter().begin();
    RevisionJson.write(out.name("revision"), edition.revision());
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
    return book.at(number).rules().rules();
  }

  /** None where the one before is not kept any more. */
  private Optional<List<Rule>> previous(long number) {
    if (number == 1) return Optional.of(List.of());
    try {
      return Optional.of(rulesAt(number - 1));
    } catch (RuleRepositoryException.NoSuchRevision e) {
      return Optional.empty();
    }
  }

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
    public RuleSnapshot make(
        RuleRepository book,
        OptionalLong expected,
        ChangeInfo signature,
        Consumer<List<Rule>> before) {
      long seen = book.latest().number();
      var edition = book.restore(number, expected, signature);
      var changed = edition.number() > seen ? book.at(edition.number() - 1) : edition;
      before.accept(changed.rules().rules());
      return edition;
    }
  }

  private static long number(Exchange exchange) {
    String given = exchange.segment(NUMBER);
    return QueryString.number(given)
        .orElseThrow(() ->
            ProblemException.badInput(
                "number",
                "of a revision is a whole number, got '%s'".formatted(TextSyntax.shown(given))));
  }
}
