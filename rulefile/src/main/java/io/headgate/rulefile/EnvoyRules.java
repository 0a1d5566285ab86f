package io.headgate.rulefile;

import io.headgate.limit.FixedWindow;
import io.headgate.limit.Window;
import io.headgate.rule.Match;
import io.headgate.rule.Mode;
import io.headgate.rule.Pattern;
import io.headgate.rule.Rule;
import io.headgate.rule.Subject;
import io.headgate.rulefile.EnvoyImport.Note;
import io.headgate.rulefile.EnvoyNode.Domain;
import io.headgate.rulefile.EnvoyNode.Mention;
import io.headgate.rulefile.EnvoyNode.Unit;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Set;

/**
 * Makes a rule of each descriptor that has a limit.
 *
 * <p>There, a descriptor is looked up entry by entry: of the siblings with its key, the one of its
 * value is taken, else the first pattern that fits, else the one without a value, and there is no
 * way back. So a rule here asks for exactly the keys on the way to its limit, and for values that
 * none of the siblings that come before would have taken.
 */
final class EnvoyRules {
  private static final int LONGEST_ID = 100;
  private static final ZoneId UTC = ZoneId.of("UTC");

  private final Domain domain;
  private final List<Rule> rules = new ArrayList<>();
  private final List<Note> notes = new ArrayList<>();
  private final Set<String> ids = new HashSet<>();

  private EnvoyRules(Domain domain) {
    this.domain = domain;
  }

  static EnvoyImport of(Domain domain) {
    var made = new EnvoyRules(domain);
    made.descend(domain.nested(), List.of());
    return new EnvoyImport(made.rules, made.notes);
  }

  /** A descriptor on the way to a limit, and what it matches there. */
  private record Step(EnvoyNode node, Pattern pattern) {}

  private void descend(List<EnvoyNode> siblings, List<Step> way) {
    for (int i = 0; i < siblings.size(); i++) {
      var node = siblings.get(i);
      for (var mention : node.mentions()) notes.add(note(node, mention));
      var here = new ArrayList<>(way);
      here.add(new Step(node, pattern(i, siblings)));
      if (node.limit().isPresent()) limit(here, node.limit().get());
      descend(node.nested(), here);
    }
  }

  private static Pattern pattern(int place, List<EnvoyNode> siblings) {
    var node = siblings.get(place);
    var taken = new ArrayList<Pattern>();
    for (int i = 0; i < siblings.size(); i++) {
      var other = siblings.get(i);
      if (i == place || !other.key().equals(node.key())) continue;
      if (other.isBefore(node, i < place) && overlap(other, node)) taken.add(other.pattern());
    }
    return taken.isEmpty()
        ? node.pattern()
        : new Pattern.Except(node.pattern(), Pattern.anyOf(taken));
  }

  /** A value that the pattern does not match need not be excluded from it. */
  private static boolean overlap(EnvoyNode other, EnvoyNode node) {
    return other.isWildcard() || node.pattern().matches(other.value().orElse(""));
  }

  private void limit(List<Step> way, EnvoyNode.Limit limit) {
    var node = way.getLast().node();
    String where = node.path() + ".rate_limit";
    if (limit.unlimited()) return; // what no rule matches is not limited
    if (limit.permits() == 0) {
      notes.add(
          new Note(
              limit.at().line(),
              where,
              "requests_per_unit: 0 is left out",
              "no limit here lets nothing pass",
              "refuse these requests in Envoy itself, before they are limited"));
      return;
    }
    var keys = way.stream().map(step -> step.node().key()).toList();
    if (!canBeNamed(keys, node)) return;
    var names = EnvoyAttributes.names(keys);
    var conditions = new LinkedHashMap<String, Pattern>();
    conditions.put(EnvoyAttributes.DOMAIN, new Pattern.Exactly(domain.name()));
    conditions.put(EnvoyAttributes.KEYS, new Pattern.Exactly(EnvoyAttributes.joined(keys)));
    var per = new ArrayList<String>();
    for (int i = 0; i < names.size(); i++) {
      var step = way.get(i);
      conditions.put(names.get(i), step.pattern());
      if (step.pattern().isOpen() && !step.node().shared()) per.add(names.get(i));
    }
    var rule =
        Rule.named(id(way, limit))
            .match(new Match(conditions))
            .per(per.toArray(String[]::new))
            .limit(new FixedWindow(limit.permits(), window(limit.unit())));
    if (node.shadow()) rule.mode(Mode.SHADOW);
    rules.add(rule.build());
    noteLength(limit, where);
  }

  /** The attribute ip is compared as an address, wherever its values come from. */
  private boolean canBeNamed(List<String> keys, EnvoyNode node) {
    for (var key : keys) {
      if (key.length() > Subject.LONGEST_NAME - 4) {
        notes.add(
            new Note(
                node.at().line(),
                node.path(),
                "the limit is left out",
                "the key %s is longer than the %d characters that an attribute can have here"
                    .formatted(Excerpt.of(key), Subject.LONGEST_NAME - 4),
                "shorten it, here and in Envoy's rate_limits"));
        return false;
      }
    }
    if (!keys.contains(Pattern.Cidr.ATTRIBUTE)) return true;
    notes.add(
        new Note(
            node.at().line(),
            node.path(),
            "the limit is left out",
            "the attribute ip holds addresses here: it is compared by their bits, and IPv6 is"
                + " counted by /64",
            "give the key another name, here and in Envoy's rate_limits"));
    return false;
  }

  private void noteLength(EnvoyNode.Limit limit, String where) {
    String there =
        switch (limit.unit()) {
          case SECOND, MINUTE, HOUR, DAY -> "";
          case WEEK -> "a week begins on Thursday";
          case MONTH -> "a month is 30 days, counted from 1970";
          case YEAR -> "a year is 365 days, counted from 1970";
        };
    if (there.isEmpty()) return;
    String unit = EnumNames.text(limit.unit());
    notes.add(
        new Note(
            limit.at().line(),
            where + ".unit",
            "each %s is one of the calendar".formatted(unit),
            "envoyproxy/ratelimit has another idea of it: %s".formatted(there),
            "nothing, unless somebody relies on when it ends"));
  }

  private static Window window(Unit unit) {
    return switch (unit) {
      case SECOND -> new Window.Epoch(Duration.ofSeconds(1));
      case MINUTE -> new Window.Epoch(Duration.ofMinutes(1));
      case HOUR -> new Window.Epoch(Duration.ofHours(1));
      case DAY -> new Window.Epoch(Duration.ofDays(1));
      case WEEK -> new Window.Calendar(Window.Unit.WEEK, UTC);
      case MONTH -> new Window.Calendar(Window.Unit.MONTH, UTC);
      case YEAR -> new Window.Calendar(Window.Unit.YEAR, UTC);
    };
  }

  private static Note note(EnvoyNode node, Mention mention) {
    String field = mention.field();
    String why =
        switch (field) {
          case "quota_mode" -> "there is no such mode here; the limit counts and never denies";
          case "rate_limit.replaces" ->
              "rules here do not know of each other, so the limits named there apply as well";
          case "metadata" -> "answers carry no metadata of their limits";
          default -> "it is about metrics, which here never have callers' values as labels";
        };
    String advice =
        switch (field) {
          case "quota_mode" -> "read the shadow rule's metrics";
          case "rate_limit.replaces" ->
              "send only the descriptor that is to count, or raise the limits it replaced";
          default -> "nothing: it decides nothing";
        };
    return new Note(
        mention.at().line(),
        node.path() + "." + field,
        field + " is not carried over",
        why,
        advice);
  }

  /** The limit's own name, else the way to it, in the letters that an id may have. */
  private String id(List<Step> way, EnvoyNode.Limit limit) {
    var text = new StringBuilder(domain.name());
    for (var step : way) {
      text.append('/').append(step.node().key());
      step.node().value().ifPresent(value -> text.append(':').append(value));
    }
    String plain = limit.name().orElse(text.toString()).replaceAll("[^A-Za-z0-9._/:@-]+", "-");
    String shortened = plain.length() <= LONGEST_ID ? plain : plain.substring(0, LONGEST_ID);
    String id = shortened;
    for (int n = 2; !ids.add(id); n++) id = shortened + "-" + n;
    return id;
  }
}
