package io.headgate.rulefile;

import io.headgate.limit.Deny;
import io.headgate.limit.Rate;
import io.headgate.limit.Shed;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Combine;
import io.headgate.rule.Consistency;
import io.headgate.rule.FailurePolicy;
import io.headgate.rule.LimitOverride;
import io.headgate.rule.Mode;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Reads one rule. */
final class RuleReader {
  private static final List<String> FIELDS =
      List.of(
          "id",
          "description",
          "match",
          "per",
          "combine",
          "threshold",
          "limit",
          "limits",
          ShedReader.FIELD,
          "overrides",
          "fallback",
          "exempt",
          "mode",
          "consistency",
          "on-store-failure",
          ReservationReader.FIELD,
          RegionReader.REGIONS,
          RegionReader.SPLIT,
          "status",
          "active");

  /** The fields that an exempt rule can't have, since it limits nothing. */
  private static final List<String> LIMITING =
      List.of("per", "combine", "threshold", "limit", "limits", ShedReader.FIELD, "overrides");

  private static final RuleLimit ANY = RuleLimit.of("any", TokenBucket.of(Rate.perSecond(1)));
  private static final String ID = "an id such as per-user";

  /** Reads a rule; empty if it is invalid, which is then among the problems. */
  static Optional<Rule> read(FieldValue value) {
    int before = value.problems().count();
    AttributeTypos.report(value);
    return readStored(value).filter(rule -> value.problems().count() == before);
  }

  /** Reads a rule that was valid when it was stored, with attributes that may be misspelled. */
  static Optional<Rule> readStored(FieldValue value) {
    int before = value.problems().count();
    return value
        .section("a rule: a map of fields such as id, match and limit")
        .map(RuleReader::gather)
        .filter(rule -> value.problems().count() == before)
        .flatMap(rule -> value.attempt(rule::build));
  }

  private static Rule.Builder gather(MappingReader section) {
    section.allowOnly(FIELDS);
    String id = section.require("id", ID, RuleReader::id).orElse("unknown");
    var rule = Rule.named(id);
    section.read("description", "a text", text -> text).ifPresent(rule::description);
    section.find("match").map(MatchReader::match).ifPresent(rule::match);
    section.find("per").map(MatchReader::per).ifPresent(rule::per);
    section.read("fallback", "true or false", RuleReader::flag).ifPresent(rule::fallback);
    boolean exempt = section.read("exempt", "true or false", RuleReader::flag).orElse(false);
    if (exempt) exempt(section, rule);
    boolean denies = !exempt && limits(section, id, rule);
    section.read("mode", EnumNames.wanted(Mode.class), RuleReader::mode).ifPresent(rule::mode);
    section.choose("consistency", Consistency.class).ifPresent(rule::consistency);
    section
        .find("on-store-failure")
        .flatMap(RuleReader::onStoreFailure)
        .ifPresent(rule::onStoreFailure);
    section
        .find(ReservationReader.FIELD)
        .flatMap(ReservationReader::read)
        .ifPresent(rule::reservation);
    RegionReader.read(section).ifPresent(rule::regions);
    section
        .read("status", "a status such as 429", text -> RuleStatus.parse(id, text))
        .filter(status -> denies || status != RuleStatus.TOO_MANY_REQUESTS)
        .ifPresent(status -> rule.property(RuleStatus.PROPERTY, Integer.toString(status)));
    section.find("active").map(ScheduleReader::read).ifPresent(rule::active);
    return rule;
  }

  private static void exempt(MappingReader section, Rule.Builder rule) {
    rule.exempt();
    for (var field : LIMITING) {
      section.problem(
          field, "an exempt rule excuses from all limits and has none; remove this or exempt");
    }
  }

  /**
   * Reads the limits and overrides; returns whether one of them denies with another status than
   * 429.
   */
  private static boolean limits(MappingReader section, String id, Rule.Builder rule) {
    var combine = combine(section);
    var reader = new LimitsReader(combine);
    var limits = reader.read(section, id, Optional.empty());
    boolean denies = denies(limits);
    limits.forEach(rule::limit);
    // An override shares the rule's counter if both have a single limit, since the names are equal.
    String single = limits.size() == 1 ? limits.getFirst().name() : id;
    var inherited = RuleLimits.of(section, limits);
    boolean several = hasSeveral(section);
    for (var item : items(section, "overrides", "a list of overrides, each with match and limit")) {
      var override = item.section("a map of match and limit");
      if (override.isEmpty()) continue;
      several |= hasSeveral(override.get());
      var read = override(override.get(), reader, single, inherited);
      read.ifPresent(rule::override);
      denies |= read.isPresent() && denies(read.get().limits());
    }
    combine.ifPresent(rule::combine);
    if (!several && combine.isPresent() && !(combine.get() instanceof Combine.All)) {
      section
          .findOrSelf("combine")
          .problem(
              "'%s' is for several limits, and this rule has one; add limits: or remove combine"
                  .formatted(CombineNames.text(combine.get())));
    }
    return denies;
  }

  /** Returns whether the default status of a denial is not 429. */
  private static boolean denies(List<RuleLimit> limits) {
    return limits.stream()
        .anyMatch(limit -> limit.limit() instanceof Deny || limit.limit() instanceof Shed);
  }

  private static Optional<LimitOverride> override(
      MappingReader section, LimitsReader reader, String single, RuleLimits inherited) {
    section.allowOnly(List.of("match", "limit", "limits"));
    if (!section.has("match")) {
      section.missing("match", "give the callers it applies to, such as { key: \"user:42\" }");
    }
    var match = section.find("match").map(MatchReader::match);
    var limits = reader.read(section, single, Optional.of(inherited));
    if (match.isEmpty() || limits.isEmpty()) return Optional.empty();
    return Optional.of(new LimitOverride(match.get(), limits));
  }

  /** Reads combine and threshold; empty if combine is invalid. */
  private static Optional<Combine> combine(MappingReader section) {
    var combine =
        section.has("combine")
            ? section.read(
                "combine", "one of " + String.join(", ", CombineNames.NAMES), CombineNames::parse)
            : Optional.<Combine>of(new Combine.All());
    if (!section.has("threshold") || combine.isEmpty()) return combine;
    if (!(combine.get() instanceof Combine.Weighted)) {
      section.problem(
          "threshold", "has an effect with combine: weighted only; add that or remove threshold");
      return combine;
    }
    return section
        .read("threshold", "a share such as 0.6 or 60%", CombineNames::threshold)
        .<Combine>map(weighted -> weighted)
        .or(() -> combine);
  }

  private static boolean hasSeveral(MappingReader section) {
    return section
        .find("limits")
        .filter(limits -> limits.node() instanceof SourceNode.Items list && list.items().size() > 1)
        .isPresent();
  }

  private static List<FieldValue> items(MappingReader section, String name, String wanted) {
    return section.find(name).flatMap(value -> value.items(wanted)).orElse(List.of());
  }

  private static Optional<FailurePolicy> onStoreFailure(FieldValue value) {
    String wanted = "allow, deny, local or { allow-then-deny: 30s }";
    if (!(value.node() instanceof SourceNode.Fields)) {
      return value.read(wanted, RuleReader::policy);
    }
    return value
        .section(wanted)
        .flatMap(section -> {
          section.allowOnly(List.of("allow-then-deny"));
          return section.require(
              "allow-then-deny",
              "a duration such as 30s",
              text -> new FailurePolicy.AllowThenDeny(DurationSyntax.parse(text)));
        });
  }

  private static FailurePolicy policy(String text) {
    return switch (text) {
      case "allow" -> new FailurePolicy.Allow();
      case "deny" -> new FailurePolicy.Deny();
      case "local" -> new FailurePolicy.Local();
      case "allow-then-deny" ->
          throw new IllegalArgumentException(
              "'allow-then-deny' needs a time; write { allow-then-deny: 30s }");
      default ->
          throw EnumNames.unknown(
              text, List.of("allow", "deny", "local", "{ allow-then-deny: 30s }"));
    };
  }

  /** Parses a mode; suggests the mode that other products call otherwise. */
  private static Mode mode(String text) {
    String meant =
        switch (text.toLowerCase(Locale.ROOT).replace('_', '-')) {
          case "dry-run", "dryrun", "log-only", "log", "monitor", "observe", "report-only" ->
              "shadow";
          case "disabled", "disable", "inactive" -> "off";
          case "enabled", "enable", "active", "on" -> "enforce";
          default -> text;
        };
    if (meant.equals(text)) return EnumNames.parse(Mode.class, text);
    throw new IllegalArgumentException(
        "%s is not known; did you mean %s? Allowed: enforce, shadow, off"
            .formatted(Excerpt.of(text), meant));
  }

  /** Parses true or false. */
  static boolean flag(String text) {
    return switch (text) {
      case "true" -> true;
      case "false" -> false;
      default -> throw EnumNames.unknown(text, List.of("true", "false"));
    };
  }

  /** Validates a rule's id. */
  private static String id(String id) {
    return Rule.named(id).limit(ANY).build().id();
  }

  private RuleReader() {}
}
