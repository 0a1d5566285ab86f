package io.headgate.server.http.admin;

import io.headgate.rule.Rule;
import io.headgate.rulefile.RuleFile;
import io.headgate.server.api.JsonWriter;
import io.headgate.server.api.ProblemDocument;
import io.headgate.server.api.ProblemException;
import io.headgate.server.api.TextSyntax;
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

/** The endpoints for the rules themselves. */
public final class RuleHandlers {
  private static final int ID = 2; // /v1/rules/{id}
  private static final int MOST_LISTED = 100_000;
  private static final Set<String> PARAMETERS = Set.of("search", "limit", "after", "in-force");

  private final RuleRepository book;
  private final RuleChangeHandlers changes;

  public RuleHandlers(RuleRepository book, RuleChangeHandlers changes) {
    this.book = book;
    this.changes = changes;
  }

  public void list(Exchange exchange, byte[] body) {
    var query = exchange.query(PARAMETERS);
    var search = query.text("search").map(text -> text.toLowerCase(Locale.ROOT));
    var after = query.text("after");
    var limit = query.whole("limit", 1, MOST_LISTED);
    boolean yaml = exchange.asked("Accept").map(MediaTypes::prefersYaml).orElse(false);
    boolean part = search.isPresent() || after.isPresent() || limit.isPresent();
    exchange.header("Vary", "Accept");
    answer(
        exchange,
        query.truth("in-force"),
        edition -> {
          var found = found(edition, search);
          int from = after.map(id -> placeAfter(found, id)).orElse(0);
          int to = (int) Math.min(found.size(), from + limit.orElse(MOST_LISTED));
          var page = found.subList(from, to);
          String text;
          if (yaml) text = RuleFile.yaml(page);
          else if (part) text = page(edition, page, found.size(), to < found.size());
          else text = RuleFile.json(page);
          return new RuleChangeHandlers.Answer(
              200, edition.number(), yaml ? MediaTypes.YAML : MediaTypes.JSON, Buffer.buffer(text));
        });
  }

  private static List<Rule> found(RuleSnapshot edition, Optional<String> search) {
    var rules = edition.rules().rules();
    return search
        .map(text -> rules.stream().filter(rule -> contains(rule, text)).toList())
        .orElse(rules);
  }

  private static boolean contains(Rule rule, String text) {
    return rule.id().toLowerCase(Locale.ROOT).contains(text)
        || rule.description().toLowerCase(Locale.ROOT).contains(text);
  }

  private static int placeAfter(List<Rule> rules, String id) {
    for (int i = 0; i < rules.size(); i++) {
      if (rules.get(i).id().equals(id)) return i + 1;
    }
    throw ProblemException.badInput(
        "after",
        "names '%s', which is not among these rules; begin again".formatted(TextSyntax.shown(id)));
  }

  /** With more fields than a set of rules has: put back, a part would replace the whole. */
  private static String page(RuleSnapshot edition, List<Rule> rules, int total, boolean more) {
    var out = new JsonWriter().begin();
    out.name("revision").value(edition.number()).name("total").value(total);
    if (more) out.name("next").value(rules.getLast().id());
    out.name("rules").beginList();
    for (var rule : rules) out.json(RuleFile.json(rule));
    return out.endList().end().toString();
  }

  public void show(Exchange exchange, byte[] body) {
    String id = exchange.segment(ID);
    var query = exchange.query(Set.of("in-force"));
    answer(
        exchange,
        query.truth("in-force"),
        edition -> {
          var rules = edition.rules().rules();
          var rule = rules.get(place(rules, id));
          return new RuleChangeHandlers.Answer(
              200, edition.number(), MediaTypes.JSON, Buffer.buffer(RuleFile.json(rule)));
        });
  }

  /** Of the newest rules or, if asked so, of those that are in force here, which needs nobody. */
  private void answer(
      Exchange exchange,
      boolean inForce,
      Function<RuleSnapshot, RuleChangeHandlers.Answer> answer) {
    var known = exchange.asked("If-None-Match");
    exchange.when(
        RuleChangeHandlers.onVirtualThread(() -> {
          var edition = inForce ? book.inForce() : book.latest();
          var made = answer.apply(edition); // also for one who has it: there may be no such rule
          boolean same = known.isPresent() && ETags.isKnown(known.get(), edition.number());
          return same
              ? new RuleChangeHandlers.Answer(304, edition.number(), "", Buffer.buffer())
              : made;
        }),
        made -> made.give(exchange));
  }

  public void replaceAll(Exchange exchange, byte[] body) {
    changes.answer(
        exchange,
        () -> {
          var rules = RulesJson.all(body);
          return old -> rules;
        });
  }

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
                    .formatted(rule.id(), TextSyntax.shown(id)));
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
    public int status(RuleDiff diff) {
      return diff.count(RuleDiff.Kind.ADDED) > 0 ? 201 : 200;
    }
  }

  public void delete(Exchange exchange, byte[] body) {
    String id = exchange.segment(ID);
    changes.answer(
        exchange,
        () ->
            rules -> {
              var rest = new ArrayList<>(rules);
              rest.remove(place(rules, id));
              return rest;
            });
  }

  private static int place(List<Rule> rules, String id) {
    for (int i = 0; i < rules.size(); i++) {
      if (rules.get(i).id().equals(id)) return i;
    }
    throw new ProblemException(
        ProblemDocument.of(
            404,
            "there is no rule '%s'; GET /v1/rules lists them".formatted(TextSyntax.shown(id))));
  }
}
