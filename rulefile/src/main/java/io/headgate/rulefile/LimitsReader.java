package io.headgate.rulefile;

import io.headgate.limit.Algorithm;
import io.headgate.limit.Deny;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.limit.Unlimited;
import io.headgate.rule.Combine;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.RuleLimit.Scope;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Reads {@code limit} or {@code limits} of a rule or override, with each limit's name, cost,
 * attributes, weight, priority and scope.
 *
 * @param combine how the rule combines its limits; empty if that is invalid, and then weight,
 *     priority and scope are accepted
 */
record LimitsReader(Optional<Combine> combine) {
  static final String REQUIRED = "required";
  private static final List<String> COMMON = List.of("algorithm", "name", "cost", REQUIRED, "per");
  private static final List<String> COMBINE_FIELDS = List.of("weight", "priority", "scope");
  private static final Limit PLACEHOLDER = TokenBucket.of(Rate.perSecond(1));
  private static final String EXPECTED_NAME = "a name such as calls";
  private static final String EXPECTED_LIMIT =
      "a map such as { algorithm: token-bucket, rate: 100/1m }";

  /** The algorithms that have parameters and are named by the field {@code algorithm}. */
  private static final List<Algorithm> ALGORITHMS =
      Stream.of(Algorithm.values())
          .filter(known -> known != Algorithm.DENY && known != Algorithm.UNLIMITED)
          .filter(known -> known != Algorithm.SHED)
          .toList();

  private static final List<String> ALGORITHM_NAMES =
      ALGORITHMS.stream().map(Algorithm::id).toList();

  /** Reads a limit that belongs to no rule. */
  static Optional<RuleLimit> readOne(FieldValue value) {
    return value
        .section(EXPECTED_LIMIT)
        .flatMap(section -> new LimitsReader(Optional.empty()).limit(section, "", List.of()));
  }

  /**
   * Reads the limits of a rule or override. Invalid ones are left out and reported.
   *
   * @param name the default name of a single limit
   * @param rule the limits of the rule, if the owner is one of its overrides
   */
  List<RuleLimit> read(MappingReader owner, String name, Optional<RuleLimits> rule) {
    if (rule.isEmpty() && owner.has(ShedReader.FIELD)) return shed(owner, name);
    if (owner.has("limit") && owner.has("limits")) {
      owner.problem("limits", "limit is given as well; give only one of the two");
    } else if (!owner.has("limit") && !owner.has("limits") && !owner.suggested("limits")) {
      owner.missing("limit", "give one limit, or several under limits:");
    }
    var limits = new ArrayList<RuleLimit>();
    owner.find("limit").flatMap(value -> single(value, name, rule)).ifPresent(limits::add);
    owner.find("limits").map(value -> several(value, rule)).ifPresent(limits::addAll);
    return limits;
  }

  private static List<RuleLimit> shed(MappingReader owner, String name) {
    for (var field : List.of("limit", "limits")) {
      owner.problem(field, "a rule with shed has no limit; give the limit a rule of its own");
    }
    return owner
        .find(ShedReader.FIELD)
        .flatMap(ShedReader::read)
        .map(shed -> List.of(RuleLimit.of(name, shed)))
        .orElse(List.of());
  }

  private Optional<RuleLimit> single(FieldValue value, String name, Optional<RuleLimits> rule) {
    if (value.node() instanceof SourceNode.Scalar scalar && !scalar.isNull()) {
      return value
          .read(EXPECTED_LIMIT, text -> withoutParameters(text, rule.isPresent()))
          .map(limit -> RuleLimit.of(name, limit));
    }
    return value
        .section(EXPECTED_LIMIT)
        .filter(section -> rule.isEmpty() || rule.get().inheritTo(section, true))
        .flatMap(section -> limit(section, name, List.of()));
  }

  /** Parses the value of {@code limit} if it is a word instead of a map. */
  private static Limit withoutParameters(String text, boolean override) {
    var deny = Algorithm.DENY.id();
    var unlimited = Algorithm.UNLIMITED.id();
    if (text.equals(deny)) return new Deny();
    if (text.equals(unlimited) && override) return new Unlimited();
    if (text.equals(unlimited)) {
      throw new IllegalArgumentException(
          "'unlimited' is for overrides; to excuse callers from all other rules, write exempt: true instead of a limit");
    }
    if (ALGORITHM_NAMES.contains(text)) {
      throw new IllegalArgumentException(
          "%s needs parameters; write a map such as { algorithm: %s, … }"
              .formatted(Excerpt.of(text), text));
    }
    var words = override ? List.of(deny, unlimited) : List.of(deny);
    throw new IllegalArgumentException(
        "must be %s, or %s, got %s%s"
            .formatted(
                EXPECTED_LIMIT,
                String.join(" or ", words),
                Excerpt.of(text),
                NameSuggester.nearest(text, words)
                    .map("; did you mean %s?"::formatted)
                    .orElse("")));
  }

  private List<RuleLimit> several(FieldValue value, Optional<RuleLimits> rule) {
    var items = value.items("a list of limits");
    if (items.isPresent() && items.get().isEmpty())
      value.problem("is empty; give at least one limit");
    var limits = new ArrayList<RuleLimit>();
    var named = new HashMap<String, MappingReader>();
    for (var item : items.orElse(List.of())) {
      if (isWithoutParameters(item.node())) {
        item.problem("stands alone; write it as limit: instead of in limits:");
        continue;
      }
      item.section("a map such as { name: calls, algorithm: token-bucket, rate: 100/1m }")
          .filter(section -> rule.isEmpty() || rule.get().inheritTo(section, false))
          .flatMap(section -> oneOfSeveral(section, named))
          .ifPresent(limits::add);
    }
    return limits;
  }

  private static boolean isWithoutParameters(SourceNode node) {
    return node instanceof SourceNode.Scalar scalar
        && (scalar.text().equals(Algorithm.DENY.id())
            || scalar.text().equals(Algorithm.UNLIMITED.id()));
  }

  private Optional<RuleLimit> oneOfSeveral(
      MappingReader section, HashMap<String, MappingReader> named) {
    var limit = limit(section, "", COMBINE_FIELDS);
    if (limit.isEmpty()) return limit;
    String name = limit.get().name();
    var earlier = named.putIfAbsent(name, section);
    if (earlier == null) return limit;
    String other = earlier.self().path();
    if (section.hasOwn("name")) {
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
    String wanted = "one of " + String.join(", ", ALGORITHM_NAMES);
    var algorithm = section.read("algorithm", wanted, LimitsReader::algorithm);
    rejectUnknown(section, algorithm, more);
    if (!section.has("algorithm")) {
      section.missing("algorithm", "give " + wanted);
    }
    var limit = algorithm.flatMap(known -> LimitReader.read(known, section));
    var tuning = section.find(TuningReader.FIELD).flatMap(TuningReader::read);
    if (section.has(TuningReader.FIELD) && section.has(FairSharingReader.FIELD)) {
      section
          .findOrSelf(TuningReader.FIELD)
          .problem("a limit that is shared fairly can't follow a signal; remove fair or adapt");
    }
    var given = section.read("name", EXPECTED_NAME, LimitsReader::name);
    var cost = section.read("cost", "the name of a cost such as bytes", LimitsReader::cost);
    boolean required =
        section.read(REQUIRED, "true or false", RuleReader::flag).orElse(false) && cost.isPresent();
    if (!section.has("cost")) {
      section.problem(
          REQUIRED,
          "is for the named cost of a limit, and this one spends the plain cost, which is 1 by default; add cost: or remove required");
    }
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
        .findOrSelf(tuning.isPresent() ? TuningReader.FIELD : "weight")
        .attempt(() -> {
          var read = RuleLimit.of(given.orElse(unnamed), limit.get());
          if (tuning.isPresent()) read = read.withTuning(tuning.get());
          if (required) read = read.withRequiredCost(cost.get());
          else if (cost.isPresent()) read = read.withCost(cost.get());
          if (per.isPresent()) read = read.withPer(per.get());
          if (weight.isPresent()) read = read.withWeight(weight.get());
          if (priority.isPresent()) read = read.withPriority(priority.get());
          return scope.isPresent() ? read.withScope(scope.get()) : read;
        });
  }

  private static Algorithm algorithm(String text) {
    for (var known : ALGORITHMS) {
      if (known.id().equals(text)) return known;
    }
    if (text.equals(Algorithm.DENY.id()) || text.equals(Algorithm.UNLIMITED.id())) {
      throw new IllegalArgumentException(
          "'%s' has no parameters; write limit: %s".formatted(text, text));
    }
    if (text.equals(Algorithm.SHED.id())) {
      throw new IllegalArgumentException(
          "'shed' is a field of the rule, in place of limit; write shed: { signal: utilization, target: 0.8 }");
    }
    throw EnumNames.unknown(text, ALGORITHM_NAMES);
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
    for (var known : ALGORITHMS) {
      if (algorithm.isEmpty() || algorithm.get() == known)
        allowed.addAll(LimitReader.fields(known));
    }
    allowed.addAll(more);
    for (var field : section.unknown(allowed)) {
      var owners = new ArrayList<String>();
      for (var other : ALGORITHMS) {
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
