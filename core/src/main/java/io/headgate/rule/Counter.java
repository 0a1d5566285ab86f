package io.headgate.rule;

import io.headgate.limit.Bucket;
import io.headgate.limit.Limit;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A limit as it stands in a rule set: what its states are filed under, and how a request's key and
 * cost are found.
 *
 * <p>Two counters are equal if they have the same name in the same rule, and are counted apart for
 * the same override or for none, whatever their limits: that is how a changed limit finds the
 * states of the old one.
 */
public final class Counter {
  private final String rule;
  private final RuleLimit ruleLimit;
  private final Limit limit; // ruleLimit's, or a share of it
  private final @Nullable Bucket bucket;
  private final List<String> per;
  private final String override; // the fingerprint of its match, or empty
  private final @Nullable String cost;
  private final int hash;
  private volatile @Nullable Part part; // the one made last

  /** This counter as one of {@code n} instances has it. */
  private record Part(int n, Counter counter) {}

  Counter(Rule rule, RuleLimit limit) {
    this(rule, limit, "");
  }

  /**
   * @param override the {@linkplain Match#fingerprint() match} of the override that is counted
   *     apart; empty for a counter that the rule and its overrides share
   */
  Counter(Rule rule, RuleLimit limit, String override) {
    this(rule.id(), limit, limit.limit(), rule.attributesOf(limit), override);
  }

  private Counter(
      String rule, RuleLimit ruleLimit, Limit limit, List<String> per, String override) {
    this.rule = rule;
    this.ruleLimit = ruleLimit;
    this.limit = limit;
    this.bucket = Bucket.of(limit);
    this.per = per;
    this.cost = ruleLimit.cost().orElse(null);
    this.override = override;
    this.hash = 31 * (31 * rule.hashCode() + ruleLimit.name().hashCode()) + override.hashCode();
  }

  /**
   * An equal counter with one instance's share of the limit; see {@link Limit#dividedBy}. Made once
   * as long as {@code n} stays what it is: every check of an outage comes here.
   */
  Counter dividedBy(int n) {
    if (n == 1) return this;
    var last = part;
    if (last != null && last.n == n) return last.counter;
    var shared = new Counter(rule, ruleLimit, limit.dividedBy(n), per, override);
    part = new Part(n, shared);
    return shared;
  }

  /** The id of the rule. */
  public String rule() {
    return rule;
  }

  /** The name of the limit within the rule. */
  public String name() {
    return ruleLimit.name();
  }

  /**
   * Names the override whose requests alone this counter counts: a text of letters, digits, {@code
   * -} and {@code _} that stays the same as long as the override's match does. Empty for a counter
   * of the rule.
   */
  public String override() {
    return override;
  }

  /** Names the counter within its rule: the limit's name, and the override it is apart for. */
  public String id() {
    return override.isEmpty() ? name() : name() + '|' + override;
  }

  /** What the limit is called where rules are not named beside it: in headers and reports. */
  public String policy() {
    return name().equals(rule) ? rule : rule + "/" + name();
  }

  public Limit limit() {
    return limit;
  }

  /** The arithmetic of the limit, if it is a bucket's; otherwise null. */
  public @Nullable Bucket bucket() {
    return bucket;
  }

  /** What the limit counts for in {@link Combine.Weighted}. */
  public long weight() {
    return ruleLimit.weight();
  }

  public List<String> per() {
    return per;
  }

  /** The named cost that the limit spends; empty for the plain one. */
  public Optional<String> cost() {
    return ruleLimit.cost();
  }

  long costOf(Request request) {
    return cost == null ? request.cost() : request.costs().getOrDefault(cost, 0L);
  }

  /**
   * Names one counter among those of this limit. Several values are each preceded by their length,
   * so that {@code a:b, c} and {@code a, b:c} differ. A missing attribute shares one counter rather
   * than escaping the limit; it can't be confused with a value, since no value is empty.
   */
  String keyOf(Subject subject) {
    return switch (per.size()) {
      case 0 -> "";
      case 1 -> value(subject, per.getFirst());
      default -> {
        var key = new StringBuilder();
        for (var attribute : per) {
          String value = value(subject, attribute);
          key.append(value.length()).append(':').append(value);
        }
        yield key.toString();
      }
    };
  }

  static String value(Subject subject, String attribute) {
    String value = subject.find(attribute);
    if (value == null) return "";
    if (!attribute.equals(Pattern.Cidr.ATTRIBUTE)) return value;
    var address = IpAddress.parse(value);
    return address == null ? value : address.caller();
  }

  @Override
  public boolean equals(Object other) {
    if (this == other) return true;
    return other instanceof Counter counter
        && hash == counter.hash
        && rule.equals(counter.rule)
        && name().equals(counter.name())
        && override.equals(counter.override);
  }

  @Override
  public int hashCode() {
    return hash;
  }

  @Override
  public String toString() {
    return policy();
  }
}
