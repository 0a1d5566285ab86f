package io.headgate.rule;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds, among many matches, those that hold for a subject, without trying each.
 *
 * <p>Every match is filed under one of its conditions, the one that fewest others share; those
 * filed where the subject has a value are then tried in full. So the time depends on how many rules
 * are about a subject like this one, and not on how many there are.
 */
final class MatchIndex {
  private final List<Match> matches;
  private final boolean[] proven;
  private boolean allProven = true;
  private final IntCollector everywhere = new IntCollector();
  private final Map<String, AttributeIndex> attributes = new HashMap<>();

  MatchIndex(List<Match> matches) {
    this.matches = List.copyOf(matches);
    this.proven = new boolean[matches.size()];
    for (int i = 0; i < proven.length; i++) {
      proven[i] = isProvenByPlace(this.matches.get(i));
      allProven &= proven[i];
    }
    var crowd = new HashMap<Place, Integer>();
    for (var match : matches) {
      match
          .conditions()
          .forEach((name, pattern) ->
              places(name, pattern).forEach(p -> crowd.merge(p, 1, Integer::sum)));
    }
    var filed = new HashMap<String, Map<Pattern, IntCollector>>();
    for (int i = 0; i < this.matches.size(); i++) file(i, crowd, filed);
    filed.forEach((name, patterns) -> attributes.put(name, new AttributeIndex(patterns)));
  }

  /** The ordinals of the matches that hold, in ascending order. */
  IntCollector find(Subject subject) {
    var candidates = new IntCollector();
    if (everywhere.size() > 0) candidates.addAll(everywhere);
    for (int i = 0; i < subject.size(); i++) {
      var index = attributes.get(subject.name(i));
      if (index != null) index.find(subject.value(i), candidates);
    }
    if (!allProven) keepMatching(subject, candidates);
    candidates.sort();
    return candidates;
  }

  private void keepMatching(Subject subject, IntCollector candidates) {
    int kept = 0;
    for (int i = 0; i < candidates.size(); i++) {
      int ordinal = candidates.get(i);
      if (proven[ordinal] || matches.get(ordinal).matches(subject)) {
        if (kept < i) candidates.set(kept, ordinal);
        kept++;
      }
    }
    candidates.cut(kept);
  }

  /** Whether to be found where it is filed is all that the match asks for. */
  private static boolean isProvenByPlace(Match match) {
    return switch (match.conditions().size()) {
      case 0 -> true;
      case 1 -> isProvenByPlace(match.conditions().values().iterator().next());
      default -> false;
    };
  }

  private static boolean isProvenByPlace(Pattern pattern) {
    return switch (pattern) {
      case Pattern.Exactly exactly -> true;
      case Pattern.Cidr block -> true;
      case Pattern.Glob glob -> glob.isPrefix();
      case Pattern.AnyOf anyOf -> anyOf.patterns().stream().allMatch(MatchIndex::isProvenByPlace);
      case Pattern.Except except -> false;
    };
  }

  /** Where a condition can be filed: an attribute, and the text or prefix or block it must have. */
  private record Place(String attribute, Pattern pattern) {}

  private static List<Place> places(String attribute, Pattern pattern) {
    return switch (pattern) {
      case Pattern.Exactly exactly -> List.of(new Place(attribute, exactly));
      case Pattern.Cidr block -> List.of(new Place(attribute, block));
      case Pattern.Glob glob ->
          List.of(new Place(attribute, new Pattern.Glob("", List.of(glob.prefix()))));
      case Pattern.AnyOf anyOf -> {
        var all = new ArrayList<Place>();
        for (var one : anyOf.patterns()) all.addAll(places(attribute, one));
        yield all;
      }
      case Pattern.Except except -> places(attribute, except.pattern());
    };
  }

  private void file(
      int ordinal, Map<Place, Integer> crowd, Map<String, Map<Pattern, IntCollector>> filed) {
    List<Place> best = List.of();
    long fewest = Long.MAX_VALUE;
    for (var condition : matches.get(ordinal).conditions().entrySet()) {
      var places = places(condition.getKey(), condition.getValue());
      long shared = 0;
      for (var place : places) shared += crowd.getOrDefault(place, 0);
      if (shared < fewest) {
        fewest = shared;
        best = places;
      }
    }
    if (best.isEmpty()) everywhere.add(ordinal);
    for (var place : best) {
      filed
          .computeIfAbsent(place.attribute(), name -> new HashMap<>())
          .computeIfAbsent(place.pattern(), pattern -> new IntCollector())
          .add(ordinal);
    }
  }

  /** What is filed under one attribute. */
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
          case Pattern.AnyOf anyOf -> throw new IllegalStateException("filed one by one");
          case Pattern.Except except -> throw new IllegalStateException("filed by its pattern");
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
