package io.headgate.server.rules;

import io.headgate.rule.Rule;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Difference between two rule lists, field by field, with the field names of rule files.
 *
 * @param changes added, changed and removed rules, in the new order, with removed ones last
 * @param moves the fewest rules that must move to turn the old order of the common rules into the
 *     new one
 * @param same number of rules that are unchanged
 */
public record RuleDiff(List<Change> changes, List<Move> moves, int same) {

  /** Kind of a change. */
  public enum Kind {
    ADDED,
    REMOVED,
    CHANGED
  }

  /** One rule that differs. For an added or removed rule, all its fields are listed. */
  public record Change(Kind kind, String id, List<Edit> edits) {
    public Change {
      edits = List.copyOf(edits);
    }
  }

  /**
   * One field that differs. {@code before} is empty for a new field, {@code after} for a removed
   * one.
   */
  public record Edit(String field, Optional<String> before, Optional<String> after) {
    private static final String NONE = "(none)";

    @Override
    public String toString() {
      return "%s: %s → %s".formatted(field, before.orElse(NONE), after.orElse(NONE));
    }
  }

  /**
   * A rule whose position changed.
   *
   * @param after the rule that now precedes it, or empty if it is the first
   */
  public record Move(String id, Optional<String> after) {}

  public RuleDiff {
    changes = List.copyOf(changes);
    moves = List.copyOf(moves);
  }

  /** Compares two lists of rules by id. */
  public static RuleDiff of(List<Rule> before, List<Rule> after) {
    var was = byId(before);
    var is = byId(after);
    var changes = new ArrayList<Change>();
    int same = 0;
    for (var rule : after) {
      var old = was.get(rule.id());
      if (old == null) {
        changes.add(new Change(Kind.ADDED, rule.id(), edits(Map.of(), RuleFields.of(rule))));
        continue;
      }
      // Rules that differ only in ways without effect serialize to the same fields.
      var edits =
          old.equals(rule) ? List.<Edit>of() : edits(RuleFields.of(old), RuleFields.of(rule));
      if (edits.isEmpty()) same++;
      else changes.add(new Change(Kind.CHANGED, rule.id(), edits));
    }
    for (var rule : before) {
      if (is.containsKey(rule.id())) continue;
      changes.add(new Change(Kind.REMOVED, rule.id(), edits(RuleFields.of(rule), Map.of())));
    }
    return new RuleDiff(changes, moves(before, after, was, is), same);
  }

  /** Compares two versions of one rule; empty if there is no difference that has an effect. */
  public static Optional<Change> ofRule(Optional<Rule> before, Optional<Rule> after) {
    var diff = of(before.stream().toList(), after.stream().toList());
    return diff.changes.stream().findFirst();
  }

  public boolean isEmpty() {
    return changes.isEmpty() && moves.isEmpty();
  }

  /** Returns the number of changes of a kind. */
  public long count(Kind kind) {
    return changes.stream().filter(change -> change.kind() == kind).count();
  }

  /**
   * Returns the fields whose values differ, in the order of the new rule, with removed fields last.
   */
  static List<Edit> edits(Map<String, String> before, Map<String, String> after) {
    var names = new LinkedHashSet<>(after.keySet());
    names.addAll(before.keySet());
    var edits = new ArrayList<Edit>();
    for (var name : names) {
      var old = Optional.ofNullable(before.get(name));
      var now = Optional.ofNullable(after.get(name));
      if (!old.equals(now)) edits.add(new Edit(name, old, now));
    }
    return edits;
  }

  private static List<Move> moves(
      List<Rule> before, List<Rule> after, Map<String, Rule> was, Map<String, Rule> is) {
    var positions = new HashMap<String, Integer>();
    for (var rule : before) {
      if (is.containsKey(rule.id())) positions.put(rule.id(), positions.size());
    }
    var kept = after.stream().map(Rule::id).filter(was::containsKey).toList();
    var stays =
        LongestIncreasingSubsequence.longest(kept.stream().mapToLong(positions::get).toArray());
    var moves = new ArrayList<Move>();
    var previous = Optional.<String>empty();
    int position = 0;
    for (var rule : after) {
      boolean moved = was.containsKey(rule.id()) && !stays.get(position++);
      if (moved) moves.add(new Move(rule.id(), previous));
      previous = Optional.of(rule.id());
    }
    return moves;
  }

  private static Map<String, Rule> byId(List<Rule> rules) {
    var byId = new LinkedHashMap<String, Rule>();
    for (var rule : rules) byId.put(rule.id(), rule);
    return byId;
  }

  /** Returns the difference as text, one line per rule, field or move. */
  public List<String> lines() {
    var lines = new ArrayList<String>();
    for (var change : changes) {
      String sign =
          switch (change.kind()) {
            case ADDED -> "+ ";
            case REMOVED -> "- ";
            case CHANGED -> "~ ";
          };
      lines.add(sign + change.id());
      for (var edit : change.edits()) lines.add("    " + describe(change.kind(), edit));
    }
    for (var move : moves) {
      lines.add(
          "> "
              + move.id()
              + move.after().map(id -> " moved after " + id).orElse(" moved to the top"));
    }
    return lines;
  }

  private static String describe(Kind kind, Edit edit) {
    return switch (kind) {
      case ADDED -> edit.field() + ": " + edit.after().orElse("");
      case REMOVED -> edit.field() + ": " + edit.before().orElse("");
      case CHANGED -> edit.toString();
    };
  }
}
