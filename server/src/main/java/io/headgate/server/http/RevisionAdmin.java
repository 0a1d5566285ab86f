package io.headgate.server.http;

import io.headgate.rule.Rule;
import io.headgate.rulefile.RuleFile;
import io.headgate.server.rules.Edition;
import io.headgate.server.rules.RuleBook;
import io.headgate.server.rules.RuleBookProblem;
import io.headgate.server.rules.RuleDiff;
import io.headgate.server.rules.Signature;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;

/** The endpoints for what the rules have been. */
final class RevisionAdmin {
  private static final int NUMBER = 2; // /v1/revisions/{number}
  private static final int FEW = 50;
  private static final int MOST = 1_000;

  private final RuleBook book;
  private final RuleChanges changes;

  RevisionAdmin(RuleBook book, RuleChanges changes) {
    this.book = book;
    this.changes = changes;
  }

  void history(Exchange exchange, byte[] body) {
    var query = exchange.query(Set.of("before", "limit"));
    long before = query.whole("before", 1, Long.MAX_VALUE).orElse(Long.MAX_VALUE);
    int most = (int) query.whole("limit", 1, MOST).orElse(FEW);
    exchange.when(
        RuleChanges.aside(() -> book.history(before, most)),
        revisions -> {
          var out = new JsonOut().begin().name("revisions").beginList();
          for (var revision : revisions) RevisionBody.write(out, revision);
          out.endList();
          boolean more = revisions.size() == most && revisions.getLast().number() > 1;
          if (more) out.name("next").value(revisions.getLast().number());
          exchange.header("Cache-Control", "no-cache");
          exchange.answer(200, MediaTypes.JSON, out.end());
        });
  }

  /** One revision and what it changed, or its rules in YAML. */
  void show(Exchange exchange, byte[] body) {
    long number = number(exchange);
    var query = exchange.query(Set.of("rules", "against"));
    boolean rules = query.truth("rules");
    var against = query.whole("against", 1, Long.MAX_VALUE);
    boolean yaml = exchange.asked("Accept").map(MediaTypes::prefersYaml).orElse(false);
    exchange.header("Vary", "Accept");
    exchange.when(
        RuleChanges.aside(() -> yaml ? yaml(number) : json(number, against, rules)),
        answer -> answer.give(exchange));
  }

  private RuleChanges.Answer yaml(long number) {
    var text = RuleFile.yaml(book.at(number).rules().rules());
    return new RuleChanges.Answer(200, number, MediaTypes.YAML, Buffer.buffer(text));
  }

  private RuleChanges.Answer json(long number, OptionalLong against, boolean withRules) {
    var edition = book.at(number);
    var rules = edition.rules().rules();
    var before = against.isPresent() ? Optional.of(rulesAt(against.getAsLong())) : previous(number);
    var out = new JsonOut().begin();
    RevisionBody.write(out.name("revision"), edition.revision());
    if (before.isPresent()) {
      RevisionBody.write(out.name("diff"), RuleDiff.of(before.get(), rules));
    }
    if (withRules) {
      out.name("rules").beginList();
      for (var rule : rules) out.json(RuleFile.json(rule));
      out.endList();
    }
    return RuleChanges.Answer.of(200, number, out.end());
  }

  private List<Rule> rulesAt(long number) {
    return book.at(number).rules().rules();
  }

  /** None where the one before is not kept any more. */
  private Optional<List<Rule>> previous(long number) {
    if (number == 1) return Optional.of(List.of());
    try {
      return Optional.of(rulesAt(number - 1));
    } catch (RuleBookProblem.NoSuchRevision e) {
      return Optional.empty();
    }
  }

  void restore(Exchange exchange, byte[] body) {
    long number = number(exchange);
    changes.answer(exchange, () -> new Restore(number, rulesAt(number)));
  }

  private record Restore(long number, List<Rule> rules) implements RuleChanges.Change {
    @Override
    public List<Rule> edit(List<Rule> current) {
      return rules;
    }

    @Override
    public Edition make(
        RuleBook book, OptionalLong expected, Signature signature, Consumer<List<Rule>> before) {
      long seen = book.latest().number();
      var edition = book.restore(number, expected, signature);
      var changed = edition.number() > seen ? book.at(edition.number() - 1) : edition;
      before.accept(changed.rules().rules());
      return edition;
    }
  }

  private static long number(Exchange exchange) {
    String given = exchange.segment(NUMBER);
    return Query.number(given)
        .orElseThrow(() ->
            Refusal.badInput(
                "number",
                "of a revision is a whole number, got '%s'".formatted(Texts.shown(given))));
  }
}
