package io.headgate.rule;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds the matches that a subject meets without evaluating each.
 *
 * <p>Each match is indexed under one of its conditions, the one that is shared by the fewest other
 * matches. The matches found under the subject's values are then verified in full. So the time
 * depends on the number of rules for similar subjects, and not on the number of all rules. A match
 * that is indexed under a condition that an absent attribute meets is also found under the absence
 * of that attribute.
 */
final class MatchIndex {
  private static final Pattern ABSENT = new Pattern.Absent();

  private final List<Match> matches;
  private final boolean[] decided;
  private boolean allDecided = true;
  private final IntCollector unconditional = new IntCollector();
  private final Map<String, AttributeIndex> attributes = new HashMap<>();

  /** The matches that are found if the subject lacks an attribute. */
  private record AbsenceIndex(String attribute, IntCollector ordinals) {}

  private final AbsenceIndex[] absences;

  MatchIndex(List<Match> matches) {
    this.matches = List.copyOf(matches);
    this.decided = new boolean[matches.size()];
    for (int i = 0; i < decided.length; i++) {
      decided[i] = isDecidedByLookup(this.matches.get(i));
      allDecided &= decided[i];
    }
    var sharers = new HashMap<IndexKey, Integer>();
    for (var match : matches) {
      match
          .conditions()
          .forEach((name, pattern) ->
              indexKeys(name, pattern).forEach(p -> sharers.merge(p, 1, Integer::sum)));
    }
    var indexed = new HashMap<String, Map<Pattern, IntCollector>>();
    for (int i = 0; i < this.matches.size(); i++) index(i, sharers, indexed);
    var byAbsence = new ArrayList<AbsenceIndex>();
    indexed.forEach((name, patterns) -> {
      var ordinals = patterns.remove(ABSENT);
      if (ordinals != null) byAbsence.add(new AbsenceIndex(name, ordinals));
      if (!patterns.isEmpty()) attributes.put(name, new AttributeIndex(patterns));
    });
    this.absences = byAbsence.toArray(AbsenceIndex[]::new);
  }

  /** Returns the indexes of the matches that the subject meets, in ascending order. */
  IntCollector find(Subject subject) {
    var candidates = new IntCollector();
    if (unconditional.size() > 0) candidates.addAll(unconditional);
    for (int i = 0; i < subject.size(); i++) {
      var index = attributes.get(subject.name(i));
      if (index != null) index.find(subject.value(i), candidates);
    }
    for (var absence : absences) {
      if (subject.find(absence.attribute) == null) candidates.addAll(absence.ordinals);
    }
    if (!allDecided) retainMatching(subject, candidates);
    candidates.sort();
    return candidates;
  }

  private void retainMatching(Subject subject, IntCollector candidates) {
    int kept = 0;
    for (int i = 0; i < candidates.size(); i++) {
      int ordinal = candidates.get(i);
      if (decided[ordinal] || matches.get(ordinal).matches(subject)) {
        if (kept < i) candidates.set(kept, ordinal);
        kept++;
      }
    }
    candidates.truncate(kept);
  }

  /** Returns whether a match that the index finds need not be verified. */
  private static boolean isDecidedByLookup(Match match) {
    return switch (match.conditions().size()) {
      case 0 -> true;
      case 1 -> isDecidedByLookup(match.conditions().values().iterator().next());
      default -> false;
    };
  }

  private static boolean isDecidedByLookup(Pattern pattern) {
    return switch (pattern) {
      case Pattern.Exactly exactly -> true;
      case Pattern.Cidr block -> true;
      case Pattern.Glob glob -> glob.isPrefix();
      case Pattern.AnyOf anyOf -> anyOf.patterns().stream().allMatch(MatchIndex::isDecidedByLookup);
      case Pattern.Except except -> false;
      case Pattern.OrAbsent(var inner) -> isDecidedByLookup(inner);
      case Pattern.Absent absent -> true;
    };
  }

  /**
   * A key of the index: an attribute with an exact value, a prefix or a CIDR block, or the absence
   * of an attribute.
   */
  private record IndexKey(String attribute, Pattern pattern) {}

  private static List<IndexKey> indexKeys(String attribute, Pattern pattern) {
    return switch (pattern) {
      case Pattern.Exactly exactly -> List.of(new IndexKey(attribute, exactly));
      case Pattern.Cidr block -> List.of(new IndexKey(attribute, block));
      case Pattern.Glob glob ->
          List.of(new IndexKey(attribute, new Pattern.Glob("", List.of(glob.prefix()))));
      case Pattern.AnyOf anyOf -> {
        var all = new ArrayList<IndexKey>();
        for (var one : anyOf.patterns()) all.addAll(indexKeys(attribute, one));
        yield all;
      }
      case Pattern.Except except -> indexKeys(attribute, except.pattern());
      case Pattern.OrAbsent(var inner) -> {
        var all = new ArrayList<>(indexKeys(attribute, inner));
        all.add(new IndexKey(attribute, ABSENT));
        yield all;
      }
      case Pattern.Absent absent -> List.of(new IndexKey(attribute, absent));
    };
  }

  private void index(
      int ordinal,
      Map<IndexKey, Integer> sharers,
      Map<String, Map<Pattern, IntCollector>> indexed) {
    List<IndexKey> best = List.of();
    long fewest = Long.MAX_VALUE;
    for (var condition : matches.get(ordinal).conditions().entrySet()) {
      var indexKeys = indexKeys(condition.getKey(), condition.getValue());
      long shared = 0;
      for (var key : indexKeys) shared += sharers.getOrDefault(key, 0);
      if (shared < fewest) {
        fewest = shared;
        best = indexKeys;
      }
    }
    if (best.isEmpty()) unconditional.add(ordinal);
    for (var key : best) {
      indexed
          .computeIfAbsent(key.attribute(), name -> new HashMap<>())
          .computeIfAbsent(key.pattern(), pattern -> new IntCollector())
          .add(ordinal);
    }
  }

  /** The part of the index for one attribute. */
  private static final class AttributeIndex {
    private final Map<String, IntCollector> exact = new HashMap<>();
    private final CidrIndex blocks = new CidrIndex();
    private final PrefixIndex prefixes;
    private final boolean hasPrefixes;

    AttributeIndex(Map<Pattern, IntCollector> patterns) {
      var byPrefix = new HashMap<String, IntCollector>();
      patterns.forEach((pattern, ordinals) -> {
        switch (pattern) {
          case Pattern.Exactly(var value) -> exact.put(value, ordinals);
          case Pattern.Glob glob -> byPrefix.put(glob.prefix(), ordinals);
          case Pattern.Cidr block -> blocks.add(block, ordinals);
          case Pattern.AnyOf anyOf -> throw new IllegalStateException("a list has no index key");
          case Pattern.Except except -> throw new IllegalStateException("an exception has no key");
          case Pattern.OrAbsent or -> throw new IllegalStateException("a choice has no index key");
          case Pattern.Absent absent -> throw new IllegalStateException("has an index of its own");
        }
      });
      prefixes = new PrefixIndex(byPrefix);
      hasPrefixes = !byPrefix.isEmpty();
    }

    void find(String value, IntCollector found) {
      var same = exact.get(value);
      if (same != null) found.addAll(same);
      if (hasPrefixes) prefixes.find(value, found);
      if (!blocks.isEmpty()) blocks.find(value, found);
    }
  }
}
