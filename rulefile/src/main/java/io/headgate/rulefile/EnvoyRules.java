package io.headgate.rulefile;

import io.headgate.limit.Deny;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Window;
import io.headgate.rule.Match;
import io.headgate.rule.Mode;
import io.headgate.rule.Pattern;
import io.headgate.rule.Rule;
import io.headgate.rule.Subject;
import io.headgate.rulefile.EnvoyImport.Note;
import io.headgate.rulefile.EnvoyNode.Domain;
import io.headgate.rulefile.EnvoyNode.Unit;
import io.headgate.rulefile.EnvoyNode.UnsupportedField;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Set;

/**
 * Converts each descriptor that has a limit to a rule.
 *
 * <p>envoyproxy/ratelimit looks a descriptor up entry by entry. Of the siblings with the entry's
 * key it takes the one with the entry's value, else the first matching wildcard, else the one
 * without a value; it never backtracks. A converted rule therefore matches exactly the keys on the
 * path to its limit, and excludes the values of siblings with higher precedence.
 */
final class EnvoyRules {
  private static final int MAX_ID_LENGTH = 100;

  private final Domain domain;
  private final List<Rule> rules = new ArrayList<>();
  private final List<Note> notes = new ArrayList<>();
  private final Set<String> ids = new HashSet<>();

  private EnvoyRules(Domain domain) {
    this.domain = domain;
  }

  /** Converts a configuration. */
  static EnvoyImport of(Domain domain) {
    var converter = new EnvoyRules(domain);
    converter.descend(domain.nested(), List.of());
    return new EnvoyImport(converter.rules, converter.notes);
  }

  /** A descriptor on the path to a limit, and the pattern it matches there. */
  private record Step(EnvoyNode node, Pattern pattern) {}

  private void descend(List<EnvoyNode> siblings, List<Step> path) {
    for (int i = 0; i < siblings.size(); i++) {
      var node = siblings.get(i);
      for (var field : node.unsupported()) notes.add(note(node, field));
      var here = new ArrayList<>(path);
      here.add(new Step(node, pattern(i, siblings)));
      if (node.limit().isPresent()) limit(here, node.limit().get());
      descend(node.nested(), here);
    }
  }

  private static Pattern pattern(int index, List<EnvoyNode> siblings) {
    var node = siblings.get(index);
    var excluded = new ArrayList<Pattern>();
    for (int i = 0; i < siblings.size(); i++) {
      var other = siblings.get(i);
      if (i == index || !other.key().equals(node.key())) continue;
      if (other.isBefore(node, i < index) && overlap(other, node)) excluded.add(other.pattern());
    }
    return excluded.isEmpty()
        ? node.pattern()
        : new Pattern.Except(node.pattern(), Pattern.anyOf(excluded));
  }

  /** Returns whether both may match one value; a sibling that cannot is not excluded. */
  private static boolean overlap(EnvoyNode other, EnvoyNode node) {
    return other.isWildcard() || node.pattern().matches(other.value().orElse(""));
  }

  private void limit(List<Step> path, EnvoyNode.Limit limit) {
    var node = path.getLast().node();
    if (limit.unlimited()) return; // a request that matches no rule is not limited
    var keys = path.stream().map(step -> step.node().key()).toList();
    if (!canBeNamed(keys, node)) return;
    var names = EnvoyAttributes.names(keys);
    var conditions = new LinkedHashMap<String, Pattern>();
    conditions.put(EnvoyAttributes.DOMAIN, new Pattern.Exactly(domain.name()));
    conditions.put(EnvoyAttributes.KEYS, new Pattern.Exactly(EnvoyAttributes.joined(keys)));
    var per = new ArrayList<String>();
    for (int i = 0; i < names.size(); i++) {
      var step = path.get(i);
      conditions.put(names.get(i), step.pattern());
      if (step.pattern().isWildcard() && !step.node().shared()) per.add(names.get(i));
    }
    var rule = Rule.named(id(path, limit)).match(new Match(conditions));
    if (limit.permits() == 0) rule.limit(new Deny());
    else rule.per(per).limit(FixedWindow.of(limit.permits(), window(limit.unit())));
    if (node.shadow()) rule.mode(Mode.SHADOW);
    rules.add(rule.build());
  }

  /**
   * Returns whether the keys can be attribute names, and adds a note if not. The attribute ip
   * cannot be used: its values are always compared as addresses.
   */
  private boolean canBeNamed(List<String> keys, EnvoyNode node) {
    for (var key : keys) {
      if (key.length() > Subject.MAX_NAME_LENGTH - 4) {
        notes.add(
            new Note(
                node.at().line(),
                node.path(),
                "the limit is left out",
                "the key %s is longer than the %d characters of an attribute's name"
                    .formatted(Excerpt.of(key), Subject.MAX_NAME_LENGTH - 4),
                "shorten it, in this file and in Envoy's rate_limits",
                true));
        return false;
      }
    }
    if (!keys.contains(Pattern.Cidr.ATTRIBUTE)) return true;
    notes.add(
        new Note(
            node.at().line(),
            node.path(),
            "the limit is left out",
            "the attribute ip holds addresses: it is compared by their bits, and IPv6 is"
                + " counted by /64",
            "give the key another name, in this file and in Envoy's rate_limits",
            true));
    return false;
  }

  /** Returns the windows of envoyproxy/ratelimit: of a fixed length, counted from 1970. */
  private static Window window(Unit unit) {
    return new Window.Epoch(
        switch (unit) {
          case SECOND -> Duration.ofSeconds(1);
          case MINUTE -> Duration.ofMinutes(1);
          case HOUR -> Duration.ofHours(1);
          case DAY -> Duration.ofDays(1);
          case WEEK -> Duration.ofDays(7);
          case MONTH -> Duration.ofDays(30);
          case YEAR -> Duration.ofDays(365);
        });
  }

  private static Note note(EnvoyNode node, UnsupportedField unsupported) {
    String field = unsupported.field();
    String why =
        switch (field) {
          case "quota_mode" ->
              "the limit counts and never denies, and a response does not report its violation";
          case "rate_limit.replaces" ->
              "rules apply independently of each other, so the replaced limits apply as well";
          case "metadata" -> "responses carry no metadata of their limits";
          default -> "it configures metrics, whose labels never contain callers' values";
        };
    String advice =
        switch (field) {
          case "quota_mode" ->
              "if Envoy acts on reported violations, set mode: enforce instead of shadow";
          case "rate_limit.replaces" ->
              "send only the descriptor that is to count, or raise the limits it replaced";
          default -> "no action is needed, since it does not affect decisions";
        };
    return new Note(
        unsupported.at().line(),
        node.path() + "." + field,
        field + " is not carried over",
        why,
        advice,
        field.equals("quota_mode"));
  }

  /**
   * Returns a unique rule id: the limit's name, or the path to it, with characters that are not
   * valid in an id replaced.
   */
  private String id(List<Step> path, EnvoyNode.Limit limit) {
    var text = new StringBuilder(domain.name());
    for (var step : path) {
      text.append('/').append(step.node().key());
      step.node().value().ifPresent(value -> text.append(':').append(value));
    }
    String plain = limit.name().orElse(text.toString()).replaceAll("[^A-Za-z0-9._/:@-]+", "-");
    String shortened = plain.length() <= MAX_ID_LENGTH ? plain : plain.substring(0, MAX_ID_LENGTH);
    String id = shortened;
    for (int n = 2; !ids.add(id); n++) id = shortened + "-" + n;
    return id;
  }
}
