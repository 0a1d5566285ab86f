package io.headgate.server.http.admin;

import io.headgate.http.TextSyntax;
import io.headgate.rule.Rule;
import io.headgate.rulefile.RuleFile;
import io.headgate.server.api.JsonWriter;
import io.headgate.server.api.ProblemDocument;
import io.headgate.server.api.ProblemException;
import io.headgate.server.http.protocol.ETags;
import io.headgate.server.http.protocol.MediaTypes;
import io.headgate.server.http.transport.Exchange;
import io.headgate.server.rules.RuleDiff;
import io.headgate.server.rules.RuleRepository;
import io.headgate.server.rules.RuleSnapshot;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** Handles the endpoints for rules. */
public final class RuleHandlers {
  private static final int ID = 2; // /v1/rules/{id}
  private static final int MAX_LISTED = 100_000;
  private static final Set<String> PARAMETERS = Set.of("search", "limit", "after", "in-force");

  private final RuleRepository repository;
  private final RuleChangeHandlers changes;

  /**
   * @param changes applies changes
   */
  public RuleHandlers(RuleRepository repository, RuleChangeHandlers changes) {
    this.repository = repository;
    this.changes = changes;
  }

  /** Answers with all rules, or with a page of those that match a search. */
  public void list(Exchange exchange, byte[] body) {
    var query = exchange.query(PARAMETERS);
    var search = query.text("search").map(text -> text.toLowerCase(Locale.ROOT));
    var after = query.text("after");
    var limit = query.wholeNumber("limit", 1, MAX_LISTED);
    boolean yaml = exchange.requestHeader("Accept").map(MediaTypes::prefersYaml).orElse(false);
    boolean part = search.isPresent() || after.isPresent() || limit.isPresent();
    exchange.header("Vary", "Accept");
    answer(
        exchange,
        query.flag("in-force"),
        snapshot -> {
          var matching = matching(snapshot, search);
          int from = after.map(id -> indexAfter(matching, id)).orElse(0);
          int to = (int) Math.min(matching.size(), from + limit.orElse(MAX_LISTED));
          var page = matching.subList(from, to);
          String text;
          if (yaml) text = RuleFile.yaml(page);
          else if (part) text = page(snapshot, page, matching.size(), to < matching.size());
          else text = RuleFile.json(page);
          return new RuleChangeHandlers.Answer(
              200,
              snapshot.number(),
              yaml ? MediaTypes.YAML : MediaTypes.JSON,
              Buffer.buffer(text));
        });
  }

  private static List<Rule> matching(RuleSnapshot snapshot, Optional<String> search) {
    var rules = snapshot.rules().rules();
    return search
        .map(text -> rules.stream().filter(rule -> contains(rule, text)).toList())
        .orElse(rules);
  }

  private static boolean contains(Rule rule, String text) {
    return rule.id().toLowerCase(Locale.ROOT).contains(text)
        || rule.description().toLowerCase(Locale.ROOT).contains(text);
  }

  private static int indexAfter(List<Rule> rules, String id) {
    for (int i = 0; i < rules.size(); i++) {
      if (rules.get(i).id().equals(id)) return i + 1;
    }
    throw ProblemException.badInput(
        "after",
        "names '%s', which is not among these rules; start again without it"
            .formatted(TextSyntax.excerpt(id)));
  }

  /**
   * Writes a page. It has more fields than a rule file, so that a page sent back with PUT is
   * rejected instead of replacing all rules.
   */
  private static String page(RuleSnapshot snapshot, List<Rule> rules, int total, boolean more) {
    var out = new JsonWriter().begin();
    out.name("revision").value(snapshot.number()).name("total").value(total);
    if (more) out.name("next").value(rules.getLast().id());
    out.name("rules").beginList();
    for (var rule : rules) out.json(RuleFile.json(rule));
    return out.endList().end().toString();
  }

  /** Answers with one rule. */
  public void show(Exchange exchange, byte[] body) {
    String id = exchange.segment(ID);
    var query = exchange.query(Set.of("in-force"));
    answer(
        exchange,
        query.flag("in-force"),
        snapshot -> {
          var rules = snapshot.rules().rules();
          var rule = rules.get(indexOf(rules, id));
          return new RuleChangeHandlers.Answer(
              200, snapshot.number(), MediaTypes.JSON, Buffer.buffer(RuleFile.json(rule)));
        });
  }

  /**
   * Answers from the newest rules or, if requested, from those in force on this instance, which
   * needs no database.
   */
  private void answer(
      Exchange exchange,
      boolean inForce,
      Function<RuleSnapshot, RuleChangeHandlers.Answer> answer) {
    var ifNoneMatch = exchange.headers().getAll("If-None-Match");
    exchange.whenComplete(
        RuleChangeHandlers.onVirtualThread(() -> {
          var snapshot = inForce ? repository.inForce() : repository.latest();
          var response = answer.apply(snapshot); // even if the ETag matches: the rule may not exist
          return ETags.matches(ifNoneMatch, snapshot.number())
              ? new RuleChangeHandlers.Answer(304, snapshot.number(), "", Buffer.buffer())
              : response;
        }),
        response -> response.send(exchange));
  }

  /** Replaces all rules. */
  public void replaceAll(Exchange exchange, byte[] body) {
    changes.answer(
        exchange,
        () -> {
          var rules = RulesJson.all(body);
          return old -> rules;
        });
  }

  /** Adds or replaces one rule. */
  public void put(Exchange exchange, byte[] body) {
    String id = exchange.segment(ID);
    changes.answer(
        exchange,
        () -> {
          var rule = RulesJson.one(body);
          if (!rule.id().equals(id)) {
            throw ProblemException.badInput(
                "id",
                "is '%s' in the body and '%s' in the path; make them the same"
                    .formatted(rule.id(), TextSyntax.excerpt(id)));
          }
          return new Put(rule);
        });
  }

  private record Put(Rule rule) implements RuleChangeHandlers.Change {
    @Override
    public List<Rule> edit(List<Rule> rules) {
      var edited = new ArrayList<>(rules);
      edited.replaceAll(old -> old.id().equals(rule.id()) ? rule : old);
      if (!edited.contains(rule)) edited.add(rule);
      return edited;
    }

    @Override
    public boolean isTargetPresent(List<Rule> rules) {
      return rules.stream().anyMatch(old -> old.id().equals(rule.id()));
    }

    @Override
    public int status(RuleDiff diff) {
      return diff.count(RuleDiff.Kind.ADDED) > 0 ? 201 : 200;
    }
  }

  /** Deletes one rule. */
  public void delete(Exchange exchange, byte[] body) {
    String id = exchange.segment(ID);
    changes.answer(
        exchange,
        () ->
            rules -> {
              var rest = new ArrayList<>(rules);
              rest.remove(indexOf(rules, id));
              return rest;
            });
  }

  private static int indexOf(List<Rule> rules, String id) {
    for (int i = 0; i < rules.size(); i++) {
      if (rules.get(i).id().equals(id)) return i;
    }
    throw new ProblemException(
        ProblemDocument.of(
            404,
            "there is no rule '%s'; GET /v1/rules lists them".formatted(TextSyntax.excerpt(id))));
  }
}
