package io.headgate.rule;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

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
  private static final IntCollector NONE = new IntCollector();

  private final List<Match> matches;
  private final boolean[] decided;
  private boolean allDecided = true;
  private final IntCollector unconditional = new IntCollector();
  private final Map<String, AttributeIndex> attributes = new HashMap<>();
  private final @Nullable AttributeIndex only; // if there is exactly one

  /** The matches that are found if the subject lacks an attribute. */
  private record AbsenceIndex(String attribute, IntCollector ordinals) {}

  private final AbsenceIndex[] absences;

  /** The matches of an index that has one prefix and nothing else, such as that of one rule. */
  private record OnlyPrefix(String attribute, String prefix, IntCollector ordinals) {}

  private final @Nullable OnlyPrefix onlyPrefix;

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
      if (ordinals != null) byAbsence.add(new AbsenceIndex(name.intern(), ordinals));
      if (!patterns.isEmpty()) attributes.put(name, new AttributeIndex(name.intern(), patterns));
    });
    this.only = attributes.size() == 1 ? attributes.values().iterator().next() : null;
    this.absences = byAbsence.toArray(AbsenceIndex[]::new);
    boolean isComplete = allDecided && unconditional.size() == 0 && absences.length == 0;
    this.onlyPrefix = isComplete && only != null ? only.onlyPrefix() : null;
  }

  /**
   * Returns the indexes of the matches that the subject meets, in ascending order. The caller must
   * not change the result.
   */
  IntCollector find(Subject subject) {
    if (onlyPrefix == null) return findAll(subject);
    String value = subject.find(onlyPrefix.attribute);
    return value != null && value.startsWith(onlyPrefix.prefix) ? onlyPrefix.ordinals : NONE;
  }

  private IntCollector findAll(Subject subject) {
    var candidates = new IntCollector();
    if (unconditional.size() > 0) candidates.addAll(unconditional);
    for (int i = 0; i < subject.size(); i++) {
      var index = indexOf(subject.name(i));
      if (index != null) index.find(subject.value(i), candidates);
    }
    for (var absence : absences) {
      if (subject.find(absence.attribute) == null) candidates.addAll(absence.ordinals);
    }
    if (!allDecided) retainMatching(subject, candidates);
    candidates.sort();
    return candidates;
  }

  private @Nullable AttributeIndex indexOf(String attribute) {
    if (only == null) return attributes.get(attribute);
    return only.attribute.equals(attribute) ? only : null;
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
    private final String attribute;
    private final Map<String, IntCollector> exact = new HashMap<>();
    private final CidrIndex blocks = new CidrIndex();
    private final PrefixIndex prefixes;
    private final boolean hasExact;
    private final boolean hasPrefixes;
    private final boolean hasBlocks;

    AttributeIndex(String attribute, Map<Pattern, IntCollector> patterns) {
      this.attribute = attribute;
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
      hasExact = !exact.isEmpty();
      hasPrefixes = !byPrefix.isEmpty();
      hasBlocks = !blocks.isEmpty();
    }

    @Nullable OnlyPrefix onlyPrefix() {
      var entry = prefixes.only();
      if (hasExact || hasBlocks || entry == null) return null;
      entry.ordinals().sort(); // a match that lists a prefix twice is found once
      return new OnlyPrefix(attribute, entry.prefix(), entry.ordinals());
    }

    void find(String value, IntCollector found) {
      if (hasExact) {
        var same = exact.get(value);
        if (same != null) found.addAll(same);
      }
      if (hasPrefixes) prefixes.find(value, found);
      if (hasBlocks) blocks.find(value, found);
    }
  }
}
