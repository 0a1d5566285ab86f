package io.headgate.rule;

import io.headgate.limit.Deny;
import io.headgate.limit.FairShare;
import io.headgate.limit.Limit;
import io.headgate.limit.Shed;
import io.headgate.limit.Unlimited;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * A rule: the subjects it applies to, their limits, and how the limits are enforced.
 *
 * <p>Immutable. Two rules are equal if all their settings are. {@link #named} starts a builder.
 *
 * {@snippet file="io/headgate/LibraryExamplesTest.java" region="rule"}
 */
public final class Rule {
  /** The highest number of properties. */
  public static final int MAX_PROPERTIES = 16;

  /** The highest number of characters in the value of a property. */
  public static final int MAX_PROPERTY_LENGTH = 256;

  private static final String ID = "a rule's id";

  private final String id;
  private final String description;
  private final Match match;
  private final Optional<List<String>> per;
  private final Combine combine;
  private final List<RuleLimit> limits;
  private final List<LimitOverride> overrides;
  private final boolean fallback;
  private final boolean exempt;
  private final Mode mode;
  private final Consistency consistency;
  private final FailurePolicy onStoreFailure;
  private final Map<String, String> properties;
  private final Schedule active;
  private final ReservationSettings reservation;
  private final RegionSettings regions;

  private Rule(Builder builder) {
    this.id = builder.id;
    this.description = builder.description;
    this.match = builder.match;
    this.per = builder.per;
    this.combine = builder.combine;
    this.limits = List.copyOf(builder.limits);
    this.overrides = List.copyOf(builder.overrides);
    this.fallback = builder.fallback;
    this.exempt = builder.exempt;
    this.mode = builder.mode;
    this.consistency = builder.consistency;
    this.onStoreFailure = builder.onStoreFailure;
    this.properties = Map.copyOf(builder.properties);
    this.active = builder.active;
    this.reservation = builder.reservation;
    this.regions = builder.regions;
    if (exempt) requireOnlyExempt();
    else requireLimits();
    requireUniqueNames(id, limits);
    for (var override : overrides) requireUniqueNames(id, override.limits());
    regions.requireSharable(id, combine, limits);
    for (var override : overrides) regions.requireSharable(id, combine, override.limits());
  }

  private void requireOnlyExempt() {
    if (!limits.isEmpty() || !overrides.isEmpty()) {
      throw new IllegalArgumentException(
          "rule '%s' is exempt, so it has no limits and no overrides; remove them or exempt"
              .formatted(id));
    }
    if (fallback) {
      throw new IllegalArgumentException(
          "rule '%s' is exempt, so it can't be a fallback; remove one of the two".formatted(id));
    }
  }

  private void requireLimits() {
    if (limits.isEmpty()) {
      throw new IllegalArgumentException(
          "rule '%s' has no limit; give it at least one".formatted(id));
    }
    limits.forEach(this::requireSharedCounter);
    for (var override : overrides) override.limits().forEach(this::requireSharedCounter);
    for (var limit : limits) {
      if (limit.limit() instanceof Unlimited) {
        throw new IllegalArgumentException(
            "rule '%s' is unlimited, which only an override can be; to excuse subjects from all rules, make it exempt"
                .formatted(id));
      }
      if (limit.limit() instanceof Deny && limits.size() > 1) {
        throw new IllegalArgumentException(
            "rule '%s' denies every request, so it has no other limits; remove them or deny"
                .formatted(id));
      }
      if (limit.limit() instanceof Shed && limits.size() > 1) {
        throw new IllegalArgumentException(
            "rule '%s' sheds load, so it has no other limits; give them a rule of their own"
                .formatted(id));
      }
    }
    if (sheds() && fallback) {
      throw new IllegalArgumentException(
          "rule '%s' sheds load, so it can't be a fallback; remove one of the two".formatted(id));
    }
  }

  /**
   * Starts a rule that matches every subject. {@link Builder#match(String, String)} narrows it.
   *
   * @throws IllegalArgumentException if the id is not a valid name
   */
  public static Builder named(String id) {
    NameSyntax.require(ID, id); // checked early, since limits get the same name
    return new Builder(id);
  }

  /** Returns a builder with the settings of this rule. */
  public Builder toBuilder() {
    return new Builder(this);
  }

  /** Returns the id: unique within a rule set; shown in decisions, headers and metrics. */
  public String id() {
    return id;
  }

  /** Returns the description, which is free text; empty if there is none. */
  public String description() {
    return description;
  }

  /** Returns the conditions that a subject must meet. */
  public Match match() {
    return match;
  }

  /**
   * Returns the attributes of which each distinct value has its own counter; empty if these are the
   * attributes that {@link #match} has a wildcard for (a glob or a CIDR block).
   */
  public Optional<List<String>> per() {
    return per;
  }

  /** Returns how the outcomes of the limits are combined. */
  public Combine combine() {
    return combine;
  }

  /**
   * Returns the limits, with unique names: at least one, or none if the rule is {@linkplain #exempt
   * exempt}.
   */
  public List<RuleLimit> limits() {
    return limits;
  }

  /** Returns the overrides, of which the first that matches replaces {@link #limits}. */
  public List<LimitOverride> overrides() {
    return overrides;
  }

  /** Returns whether the rule applies only if no other rule does. */
  public boolean fallback() {
    return fallback;
  }

  /** Returns whether the rule excuses the subjects it matches from all other rules. */
  public boolean exempt() {
    return exempt;
  }

  /** Returns whether the rule or one of its overrides denies every request of its subjects. */
  public boolean denies() {
    return denies(limits) || overrides.stream().anyMatch(override -> denies(override.limits()));
  }

  /** Returns whether the rule drops requests while a backend is overloaded. */
  public boolean sheds() {
    return !limits.isEmpty() && limits.getFirst().limit() instanceof Shed;
  }

  /** Returns whether the rate of one of the limits follows a signal. */
  public boolean isTuned() {
    return limits.stream().anyMatch(limit -> limit.tuning().isPresent())
        || overrides.stream()
            .anyMatch(override ->
                override.limits().stream().anyMatch(limit -> limit.tuning().isPresent()));
  }

  static boolean denies(List<RuleLimit> limits) {
    return !limits.isEmpty() && limits.getFirst().limit() instanceof Deny;
  }

  /** Returns whether the rule is enforced. */
  public Mode mode() {
    return mode;
  }

  /** Returns how instances share the counters. */
  public Consistency consistency() {
    return consistency;
  }

  /** Returns how the rule decides while the store is unavailable. */
  public FailurePolicy onStoreFailure() {
    return onStoreFailure;
  }

  /**
   * Returns the properties: settings for the code that enforces decisions, such as the status of an
   * HTTP response. A limiter passes them on and does not interpret them.
   */
  public Map<String, String> properties() {
    return properties;
  }

  /** Returns when the rule applies. */
  public Schedule active() {
    return active;
  }

  /** Returns how the rule treats reservations. */
  public ReservationSettings reservation() {
    return reservation;
  }

  /** Returns how the rule counts requests of several regions. */
  public RegionSettings regions() {
    return regions;
  }

  /**
   * A limit of an override that has its own counter, separate from the rule's limit of that name.
   *
   * @param override the index in {@link #overrides}
   * @param limit the index in that override's limits
   */
  public record SeparateCounter(int override, int limit) {}

  /**
   * Returns the limits of overrides that have their own counters, because the key of the rule's
   * counter does not determine whether the override applies. A caller can then use both the rule's
   * limit and the override's.
   */
  public List<SeparateCounter> separateCounters() {
    if (overrides.isEmpty()) return List.of();
    var separate = new SeparateCounters(this);
    var found = new ArrayList<SeparateCounter>();
    for (int i = 0; i < overrides.size(); i++) {
      var override = overrides.get(i);
      for (int j = 0; j < override.limits().size(); j++) {
        if (separate.contains(override, override.limits().get(j))) {
          found.add(new SeparateCounter(i, j));
        }
      }
    }
    return found;
  }

  /** Returns the attributes of which each distinct value has its own counter of {@code limit}. */
  public List<String> attributesOf(RuleLimit limit) {
    return limit.per().or(() -> per).orElseGet(() -> defaultAttributes(limit));
  }

  /** The tenants of a limit that is shared fairly share one counter. */
  private List<String> defaultAttributes(RuleLimit limit) {
    var all = wildcardAttributes();
    if (!(limit.limit() instanceof FairShare fair)) return all;
    return all.stream().filter(name -> !fair.sharing().among().contains(name)).toList();
  }

  private void requireSharedCounter(RuleLimit limit) {
    if (!(limit.limit() instanceof FairShare fair)) return;
    for (var attribute : attributesOf(limit)) {
      if (!fair.sharing().among().contains(attribute)) continue;
      throw new IllegalArgumentException(
          "limit '%s' of rule '%s' is shared fairly among %s, but has one counter per %s; remove %s from per"
              .formatted(limit.name(), id, attribute, attribute, attribute));
    }
  }

  private List<String> wildcardAttributes() {
    return match.conditions().entrySet().stream()
        .filter(condition -> condition.getValue().isWildcard())
        .map(condition -> condition.getKey())
        .toList();
  }

  private static void requireUniqueNames(String id, List<RuleLimit> limits) {
    var seen = new HashSet<String>();
    for (var limit : limits) {
      if (!seen.add(limit.name())) {
        throw new IllegalArgumentException(
            "rule '%s' has two limits named '%s'; give each a name of its own"
                .formatted(id, limit.name()));
      }
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Rule rule
        && id.equals(rule.id)
        && description.equals(rule.description)
        && match.equals(rule.match)
        && per.equals(rule.per)
        && combine.equals(rule.combine)
        && limits.equals(rule.limits)
        && overrides.equals(rule.overrides)
        && fallback == rule.fallback
        && exempt == rule.exempt
        && mode == rule.mode
        && consistency == rule.consistency
        && onStoreFailure.equals(rule.onStoreFailure)
        && properties.equals(rule.properties)
        && active.equals(rule.active)
        && reservation.equals(rule.reservation)
        && regions.equals(rule.regions);
  }

  @Override
  public int hashCode() {
    return Objects.hash(id, match, limits);
  }

  @Override
  public String toString() {
    return "Rule[id=%s, match=%s, per=%s, combine=%s, limits=%s, overrides=%s, mode=%s]"
        .formatted(id, match, per, combine, limits, overrides, mode);
  }

  /** Builds a rule from the settings that differ from the defaults. Not thread-safe. */
  public static final class Builder {
    private final String id;
    private String description = "";
    private Match match = Match.EVERYTHING;
    private Optional<List<String>> per = Optional.empty();
    private Combine combine = new Combine.All();
    private final List<RuleLimit> limits = new ArrayList<>();
    private final List<LimitOverride> overrides = new ArrayList<>();
    private boolean fallback;
    private boolean exempt;
    private Mode mode = Mode.ENFORCE;
    private Consistency consistency = Consistency.STRICT;
    private FailurePolicy onStoreFailure = FailurePolicy.DEFAULT;
    private final Map<String, String> properties = new HashMap<>();
    private Schedule active = Schedule.ALWAYS;
    private ReservationSettings reservation = ReservationSettings.DEFAULT;
    private RegionSettings regions = RegionSettings.DEFAULT;

    private Builder(String id) {
      this.id = id;
    }

    private Builder(Rule rule) {
      this.id = rule.id;
      this.description = rule.description;
      this.match = rule.match;
      this.per = rule.per;
      this.combine = rule.combine;
      this.limits.addAll(rule.limits);
      this.overrides.addAll(rule.overrides);
      this.fallback = rule.fallback;
      this.exempt = rule.exempt;
      this.mode = rule.mode;
      this.consistency = rule.consistency;
      this.onStoreFailure = rule.onStoreFailure;
      this.properties.putAll(rule.properties);
      this.active = rule.active;
      this.reservation = rule.reservation;
      this.regions = rule.regions;
    }

    /** Sets the description, which is free text. */
    public Builder description(String description) {
      this.description = description;
      return this;
    }

    /** Adds a condition. All conditions must be met. */
    public Builder match(String attribute, String pattern) {
      match = match.and(attribute, pattern);
      return this;
    }

    /** Replaces all conditions. */
    public Builder match(Match match) {
      this.match = match;
      return this;
    }

    /** Sets the attributes of which each distinct value has its own counter. */
    public Builder per(String... attributes) {
      return per(List.of(attributes));
    }

    /** Sets the attributes of which each distinct value has its own counter. */
    public Builder per(List<String> attributes) {
      per = Optional.of(List.copyOf(attributes));
      return this;
    }

    /** Sets how the outcomes of the limits are combined; all of them must pass by default. */
    public Builder combine(Combine combine) {
      this.combine = combine;
      return this;
    }

    /** Adds a limit with the name of the rule. */
    public Builder limit(Limit limit) {
      return limit(RuleLimit.of(id, limit));
    }

    /** Adds a limit. */
    public Builder limit(RuleLimit limit) {
      limits.add(limit);
      return this;
    }

    /** Replaces all limits. */
    public Builder limits(List<RuleLimit> limits) {
      this.limits.clear();
      this.limits.addAll(limits);
      return this;
    }

    /** Adds an override with one limit, with the name of the rule, for subjects that match. */
    public Builder override(String attribute, String pattern, Limit limit) {
      return override(
          new LimitOverride(Match.of(attribute, pattern), List.of(RuleLimit.of(id, limit))));
    }

    /** Adds an override. The first override that matches applies. */
    public Builder override(LimitOverride override) {
      overrides.add(override);
      return this;
    }

    /** Replaces all overrides. */
    public Builder overrides(List<LimitOverride> overrides) {
      this.overrides.clear();
      this.overrides.addAll(overrides);
      return this;
    }

    /** Makes the rule apply only if no other rule does. */
    public Builder fallback() {
      return fallback(true);
    }

    /** Sets whether the rule applies only if no other rule does. */
    public Builder fallback(boolean fallback) {
      this.fallback = fallback;
      return this;
    }

    /**
     * Makes the rule excuse the subjects it matches from all other rules. It has no limits then.
     */
    public Builder exempt() {
      return exempt(true);
    }

    /** Sets whether the rule excuses the subjects it matches from all other rules. */
    public Builder exempt(boolean exempt) {
      this.exempt = exempt;
      return this;
    }

    /** Sets whether the rule is enforced, as it is by default. */
    public Builder mode(Mode mode) {
      this.mode = mode;
      return this;
    }

    /** Sets how instances share the counters; {@link Consistency#STRICT} by default. */
    public Builder consistency(Consistency consistency) {
      this.consistency = consistency;
      return this;
    }

    /** Sets how the rule decides while the store is unavailable. */
    public Builder onStoreFailure(FailurePolicy onStoreFailure) {
      this.onStoreFailure = onStoreFailure;
      return this;
    }

    /**
     * Sets a property, which the limiter does not interpret; see {@link Rule#properties}.
     *
     * @param name unique within the rule, with the syntax of a rule's id
     * @param value at most {@link #MAX_PROPERTY_LENGTH} characters
     * @throws IllegalArgumentException if the name or the value is not valid, or the rule has
     *     {@link #MAX_PROPERTIES} others
     */
    public Builder property(String name, String value) {
      NameSyntax.require("a property's name", name);
      if (value.length() > MAX_PROPERTY_LENGTH) {
        throw new IllegalArgumentException(
            "property '%s' of rule '%s' may have at most %d characters, got %d"
                .formatted(name, id, MAX_PROPERTY_LENGTH, value.length()));
      }
      if (properties.size() == MAX_PROPERTIES && !properties.containsKey(name)) {
        throw new IllegalArgumentException(
            "rule '%s' may have at most %d properties".formatted(id, MAX_PROPERTIES));
      }
      properties.put(name, value);
      return this;
    }

    /** Sets when the rule applies; always by default. */
    public Builder active(Schedule active) {
      this.active = active;
      return this;
    }

    /** Sets how the rule treats reservations. */
    public Builder reservation(ReservationSettings reservation) {
      this.reservation = reservation;
      return this;
    }

    /** Sets how the rule counts requests of several regions. */
    public Builder regions(RegionSettings regions) {
      this.regions = regions;
      return this;
    }

    /**
     * Creates the rule.
     *
     * @throws IllegalArgumentException if the rule has no limit and is not exempt, is exempt and
     *     has a limit or is a fallback, has two limits of the same name, or one beside {@link
     *     Deny}, or has limits that can't be shared among regions as {@link #regions} asks
     */
    public Rule build() {
      return new Rule(this);
    }
  }
}
