package io.headgate.rulefile;

import io.headgate.limit.Algorithm;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Combine;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.RuleLimit.Scope;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;

/**
 * Reads {@code limit} or {@code limits} of a rule or override, with each limit's name, cost,
 * attributes, weight, priority and scope.
 *
 * @param combine how the rule combines its limits; empty if that is invalid, and then weight,
 *     priority and scope are accepted
 */
record LimitsReader(Optional<Combine> combine) {
  private static final List<String> COMMON = List.of("algorithm", "name", "cost", "per");
  private static final List<String> COMBINE_FIELDS = List.of("weight", "priority", "scope");
  private static final Limit PLACEHOLDER = TokenBucket.of(Rate.perSecond(1));
  private static final String EXPECTED_NAME = "a name such as calls";
  private static final String EXPECTED_LIMIT =
      "a map such as { algorithm: token-bucket, rate: 100/1m }";

  /** Reads a limit that belongs to no rule. */
  static Optional<Limit> readOne(FieldValue value) {
    return value
        .section(EXPECTED_LIMIT)
        .flatMap(section -> new LimitsReader(Optional.empty()).limit(section, "", List.of()))
        .map(RuleLimit::limit);
  }

  /**
   * Reads the limits of a rule or override. Invalid ones are left out and reported.
   *
   * @param name the default name of a single limit
   */
  List<RuleLimit> read(MappingReader owner, String name) {
    if (owner.has("limit") && owner.has("limits")) {
      owner.problem("limits", "limit is given as well; give only one of the two");
    } else if (!owner.has("limit") && !owner.has("limits") && !owner.suggested("limits")) {
      owner.missing("limit", "give one limit, or several under limits:");
    }
    var limits = new ArrayList<RuleLimit>();
    owner
        .find("limit")
        .flatMap(value -> value.section(EXPECTED_LIMIT))
        .flatMap(section -> limit(section, name, List.of()))
        .ifPresent(limits::add);
    owner.find("limits").map(this::several).ifPresent(limits::addAll);
    return limits;
  }

  private List<RuleLimit> several(FieldValue value) {
    var items = value.items("a list of limits");
    if (items.isPresent() && items.get().isEmpty())
      value.problem("is empty; give at least one limit");
    var limits = new ArrayList<RuleLimit>();
    var named = new HashMap<String, MappingReader>();
    for (var item : items.orElse(List.of())) {
      item.section("a map such as { name: calls, algorithm: token-bucket, rate: 100/1m }")
          .flatMap(section -> oneOfSeveral(section, named))
          .ifPresent(limits::add);
    }
    return limits;
  }

  private Optional<RuleLimit> oneOfSeveral(
      MappingReader section, HashMap<String, MappingReader> named) {
    var limit = limit(section, "", COMBINE_FIELDS);
    if (limit.isEmpty()) return limit;
    String name = limit.get().name();
    var earlier = named.putIfAbsent(name, section);
    if (earlier == null) return limit;
    String other = earlier.self().path();
    if (section.has("name")) {
      section
          .findOrSelf("name")
          .problem("'%s' is already the name of %s; give each its own".formatted(name, other));
    } else {
      section
          .self()
          .problem(
              "would be named '%s' by its algorithm, as %s is; add a name: to each"
                  .formatted(name, other));
    }
    return Optional.empty();
  }

  /**
   * Reads one limit.
   *
   * @param name the default name; empty for the name of the algorithm
   * @param more the fields allowed besides those of every limit
   */
  private Optional<RuleLimit> limit(MappingReader section, String name, List<String> more) {
    int before = section.self().problems().count();
    var algorithm = section.choose("algorithm", Algorithm.class);
    rejectUnknown(section, algorithm, more);
    if (!section.has("algorithm")) {
      section.missing("algorithm", "give " + EnumNames.wanted(Algorithm.class));
    }
    var limit = algorithm.flatMap(known -> LimitReader.read(known, section));
    var given = section.read("name", EXPECTED_NAME, LimitsReader::name);
    var cost = section.read("cost", "the name of a cost such as bytes", LimitsReader::cost);
    var per = section.find("per").map(MatchReader::per);
    var weight = section.read("weight", "a number from 1 to 1000000", CountSyntax::parse);
    var priority = section.read("priority", "a whole number", CountSyntax::parseInteger);
    var scope = section.choose("scope", Scope.class);
    if (!more.isEmpty()) {
      rejectUnless(section, "weight", new Combine.Weighted(1));
      rejectUnless(section, "priority", new Combine.Priority());
      rejectUnless(section, "scope", new Combine.Hierarchical());
    }
    if (limit.isEmpty() || section.self().problems().count() != before) return Optional.empty();
    String unnamed = name.isEmpty() ? limit.get().algorithm().id() : name;
    return section
        .findOrSelf("weight")
        .attempt(() -> {
          var read = RuleLimit.of(given.orElse(unnamed), limit.get());
          if (cost.isPresent()) read = read.withCost(cost.get());
          if (per.isPresent()) read = read.withPer(per.get());
          if (weight.isPresent()) read = read.withWeight(weight.get());
          if (priority.isPresent()) read = read.withPriority(priority.get());
          return scope.isPresent() ? read.withScope(scope.get()) : read;
        });
  }

  private void rejectUnless(MappingReader section, String field, Combine wanted) {
    if (combine.isPresent() && combine.get().getClass() != wanted.getClass()) {
      section.problem(
          field,
          "has an effect with combine: %s only, and this rule has %s; change that or remove %s"
              .formatted(CombineNames.text(wanted), CombineNames.text(combine.get()), field));
    }
  }

  private static void rejectUnknown(
      MappingReader section, Optional<Algorithm> algorithm, List<String> more) {
    var allowed = new LinkedHashSet<>(COMMON);
    for (var known : Algorithm.values()) {
      if (algorithm.isEmpty() || algorithm.get() == known)
        allowed.addAll(LimitReader.fields(known));
    }
    allowed.addAll(more);
    for (var field : section.unknown(allowed)) {
      var owners = new ArrayList<String>();
      for (var other : Algorithm.values()) {
        if (LimitReader.fields(other).contains(field)) owners.add(other.id());
      }
      if (!owners.isEmpty() && algorithm.isPresent()) {
        section.problem(
            field,
            "belongs to %s, not to %s, which takes %s; remove it or change the algorithm"
                .formatted(
                    String.join(", ", owners),
                    algorithm.get().id(),
                    String.join(", ", LimitReader.fields(algorithm.get()))));
      } else if (COMBINE_FIELDS.contains(field)) {
        section.problem(
            field, "has an effect on one of several limits only; use limits: or remove it");
      } else {
        section.rejectUnknown(field, List.copyOf(allowed));
      }
    }
  }

  /** Validates a limit's name. */
  private static String name(String name) {
    return RuleLimit.of(name, PLACEHOLDER).name();
  }

  /** Validates the name of a cost. */
  static String cost(String name) {
    if (name.isEmpty()) {
      throw new IllegalArgumentException(
          "a cost must have a name; leave it out to spend the request's plain cost");
    }
    return name;
  }
}
