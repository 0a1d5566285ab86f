package io.headgate.rule;

import io.headgate.limit.Limit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/**
 * Who is limited, by what, and how strictly.
 *
 * @param id unique; shown in decisions, headers and metrics
 * @param per the attributes of which each distinct value has a counter of its own; by default those
 *     that {@code match} leaves open (by a glob or a block of addresses)
 * @param overrides the first that matches replaces {@code limits}
 * @param fallback applies only when no other rule does
 * @param status the HTTP status of a denial
 */
public record Rule(
    String id,
    String description,
    Match match,
    Optional<List<String>> per,
    Combine combine,
    List<RuleLimit> limits,
    List<LimitOverride> overrides,
    boolean fallback,
    Mode mode,
    Consistency consistency,
    FailurePolicy onStoreFailure,
    int status,
    Schedule active) {

  public static final int TOO_MANY_REQUESTS = 429;

  private static final String ID = "a rule's id";

  public Rule {
    NameSyntax.require(ID, id);
    per = per.map(List::copyOf);
    limits = List.copyOf(limits);
    overrides = List.copyOf(overrides);
    if (limits.isEmpty()) {
      throw new IllegalArgumentException(
          "rule '%s' has no limit; give it at least one".formatted(id));
    }
    requireUniqueNames(id, limits);
    for (var override : overrides) requireUniqueNames(id, override.limits());
    if (status < 400 || status > 599) {
      throw new IllegalArgumentException(
          "status of rule '%s' must be 400 to 599, got %d".formatted(id, status));
    }
  }

  /** A rule that limits everything together; narrow it with {@link Builder#match}. */
  public static Builder named(String id) {
    NameSyntax.require(ID, id); // here too: limits are named after it
    return new Builder(id);
  }

  /**
   * A limit of an override that is counted apart from the rule's limit of the same name.
   *
   * @param override its position in {@link #overrides}
   * @param limit its position in that override's limits
   */
  public record CountedApart(int override, int limit) {}

  /**
   * Returns the limits of overrides that have counters of their own, because the key of the rule's
   * counter does not tell whether the override applies. What a caller can get in all is then the
   * rule's limit and the override's.
   */
  public List<CountedApart> countedApart() {
    if (overrides.isEmpty()) return List.of();
    var separate = new SeparateCounters(this);
    var found = new ArrayList<CountedApart>();
    for (int i = 0; i < overrides.size(); i++) {
      var override = overrides.get(i);
      for (int j = 0; j < override.limits().size(); j++) {
        if (separate.contains(override, override.limits().get(j))) {
          found.add(new CountedApart(i, j));
        }
      }
    }
    return found;
  }

  /** What each counter of {@code limit} is kept per. */
  public List<String> attributesOf(RuleLimit limit) {
    return limit.per().or(() -> per).orElseGet(this::openAttributes);
  }

  private List<String> openAttributes() {
    return match.conditions().entrySet().stream()
        .filter(condition -> condition.getValue().isOpen())
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

  /** Gathers what differs from the defaults. */
  public static final class Builder {
    private final String id;
    private String description = "";
    private Match match = Match.EVERYTHING;
    private Optional<List<String>> per = Optional.empty();
    private Combine combine = new Combine.All();
    private final List<RuleLimit> limits = new ArrayList<>();
    private final List<LimitOverride> overrides = new ArrayList<>();
    private boolean fallback;
    private Mode mode = Mode.ENFORCE;
    private Consistency consistency = Consistency.STRICT;
    private FailurePolicy onStoreFailure = FailurePolicy.DEFAULT;
    private int status = TOO_MANY_REQUESTS;
    private Schedule active = Schedule.ALWAYS;

    private Builder(String id) {
      this.id = id;
    }

    public Builder description(String description) {
      this.description = description;
      return this;
    }

    /** Adds a condition; all of them must hold. */
    public Builder match(String attribute, String pattern) {
      match = match.and(attribute, pattern);
      return this;
    }

    public Builder match(Match match) {
      this.match = match;
      return this;
    }

    public Builder per(String... attributes) {
      per = Optional.of(List.of(attributes));
      return this;
    }

    public Builder combine(Combine combine) {
      this.combine = combine;
      return this;
    }

    /** Adds a limit that is named like the rule. */
    public Builder limit(Limit limit) {
      return limit(RuleLimit.of(id, limit));
    }

    public Builder limit(RuleLimit limit) {
      limits.add(limit);
      return this;
    }

    /** Another limit, named like the rule, where {@code attribute} matches too. */
    public Builder override(String attribute, String pattern, Limit limit) {
      return override(
          new LimitOverride(Match.of(attribute, pattern), List.of(RuleLimit.of(id, limit))));
    }

    public Builder override(LimitOverride override) {
      overrides.add(override);
      return this;
    }

    public Builder fallback() {
      fallback = true;
      return this;
    }

    public Builder mode(Mode mode) {
      this.mode = mode;
      return this;
    }

    public Builder consistency(Consistency consistency) {
      this.consistency = consistency;
      return this;
    }

    public Builder onStoreFailure(FailurePolicy onStoreFailure) {
      this.onStoreFailure = onStoreFailure;
      return this;
    }

    public Builder status(int status) {
      this.status = status;
      return this;
    }

    public Builder active(Schedule active) {
      this.active = active;
      return this;
    }

    public Rule build() {
      return new Rule(
          id,
          description,
          match,
          per,
          combine,
          limits,
          overrides,
          fallback,
          mode,
          consistency,
          onStoreFailure,
          status,
          active);
    }
  }
}
