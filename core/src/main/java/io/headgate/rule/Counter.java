package io.headgate.rule;

import io.headgate.internal.hash.KeyDigest;
import io.headgate.limit.Bucket;
import io.headgate.limit.FairShare;
import io.headgate.limit.FairSharing;
import io.headgate.limit.Holdable;
import io.headgate.limit.Limit;
import io.headgate.limit.Share;
import io.headgate.limit.Tuning;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A limit of a rule in a rule set. Names the states of the limit, and derives the key and the cost
 * of a request. Immutable.
 *
 * <p>Two counters are equal if they have the same name in the same rule, and are separate for the
 * same override or for none, whatever their limits. So a changed limit finds the states of the old
 * one.
 */
public final class Counter {
  private final String rule;
  private final RuleLimit ruleLimit;
  private final Limit limit; // that of ruleLimit, or a part of it
  private final @Nullable Bucket bucket;
  private final @Nullable FairSharing sharing;
  private final List<String> per;
  private final @Nullable String only; // the attribute in per if it is the only one, unless "ip"
  private final String override; // the fingerprint of its match, or empty
  private final RegionDivision regions;
  private final @Nullable String cost;
  private final int hash;
  private volatile @Nullable Part part; // cached by dividedBy
  private volatile @Nullable Bounded bounded; // cached by withMaxDebt
  private final Map<Integer, Optional<Counter>> parts = new ConcurrentHashMap<>(0); // by partOf

  /** This counter with the limit divided by {@code n}. */
  private record Part(int n, Counter counter) {}

  /** This counter with a limit whose highest debt is {@code micros} microseconds. */
  private record Bounded(long micros, Counter counter) {}

  Counter(Rule rule, RuleLimit limit) {
    this(rule, limit, "", RegionDivision.of(rule, List.of(limit)));
  }

  /**
   * Creates the counter of a limit.
   *
   * @param override the {@linkplain Match#fingerprint() fingerprint} of the override that has this
   *     counter for itself; empty for a counter that the rule and its overrides share
   * @param regions the division of all limits that apply together
   */
  Counter(Rule rule, RuleLimit limit, String override, RegionDivision regions) {
    this(rule.id(), limit, limit.limit(), rule.attributesOf(limit), override, regions);
  }

  private Counter(
      String rule,
      RuleLimit ruleLimit,
      Limit limit,
      List<String> per,
      String override,
      RegionDivision regions) {
    this.rule = rule;
    this.ruleLimit = ruleLimit;
    this.limit = limit;
    this.bucket = Bucket.of(limit);
    this.sharing = limit instanceof FairShare fair ? fair.sharing() : null;
    this.per = per;
    boolean plain = per.size() == 1 && !per.getFirst().equals(Pattern.Cidr.ATTRIBUTE);
    this.only = plain ? per.getFirst().intern() : null;
    this.cost = ruleLimit.cost().orElse(null);
    this.override = override;
    this.regions = regions;
    this.hash = 31 * (31 * rule.hashCode() + ruleLimit.name().hashCode()) + override.hashCode();
  }

  /**
   * Returns an equal counter with the limit of one of {@code n} instances; see {@link
   * Limit#dividedBy}. Cached for the last {@code n}, since every check during an outage calls it.
   */
  Counter dividedBy(int n) {
    if (n == 1) return this;
    var last = part;
    if (last != null && last.n == n) return last.counter;
    var shared = new Counter(rule, ruleLimit, limit.dividedBy(n), per, override, regions);
    part = new Part(n, shared);
    return shared;
  }

  /**
   * Returns an equal counter with a part of the limit, in thousandths; see {@link Holdable#partOf}.
   * Cached.
   *
   * @return empty if the part is less than one permit, or the limit can't be divided so
   */
  public Optional<Counter> partOf(int permille) {
    if (permille == RegionSettings.WHOLE) return Optional.of(this);
    return parts.computeIfAbsent(permille, this::newPart);
  }

  private Optional<Counter> newPart(int permille) {
    return limit instanceof Holdable holdable
        ? Optional.ofNullable(holdable.partOf(permille))
            .map(some -> new Counter(rule, ruleLimit, some, per, override, regions))
        : Optional.empty();
  }

  /** Returns the id of the rule. */
  public String rule() {
    return rule;
  }

  /** Returns the name of the limit within the rule. */
  public String name() {
    return ruleLimit.name();
  }

  /**
   * Returns a text that identifies the override that has this counter for itself. Consists of
   * letters, digits, {@code -} and {@code _}, and depends on the override's match only. Empty for a
   * counter of the rule.
   */
  public String override() {
    return override;
  }

  /** Returns the id of the counter within its rule: the limit's name and the override, if any. */
  public String id() {
    return override.isEmpty() ? name() : name() + '|' + override;
  }

  /** Returns the name of the limit across all rules, as used in headers and reports. */
  public String policy() {
    return name().equals(rule) ? rule : rule + "/" + name();
  }

  /** Returns how the limit is divided among regions. */
  public RegionDivision regions() {
    return regions;
  }

  /** Returns the limit that the counter enforces. */
  public Limit limit() {
    return limit;
  }

  /**
   * Returns an equal counter with another limit, for a rate that follows a signal. Finds the states
   * of this one.
   */
  public Counter withLimit(Limit other) {
    return new Counter(rule, ruleLimit, other, per, override, regions);
  }

  /**
   * Returns an equal counter whose limit bounds the debt of usage that clients report; see {@link
   * ReservationSettings#maxDebt}. Cached for the last settings.
   */
  public Counter withMaxDebt(ReservationSettings settings) {
    if (!(limit instanceof Holdable holdable)) return this;
    long micros = settings.maxDebtMicros(limit.window());
    var last = bounded;
    if (last != null && last.micros == micros) return last.counter;
    var other = holdable.withMaxDebt(micros);
    var counter = other.equals(limit) ? this : withLimit(other);
    bounded = new Bounded(micros, counter);
    return counter;
  }

  /** Returns how the rate follows a signal; empty if it is constant. */
  public Optional<Tuning> tuning() {
    return ruleLimit.tuning();
  }

  /** Returns the arithmetic of a token or leaky bucket; null for other limits. */
  public @Nullable Bucket bucket() {
    return bucket;
  }

  /** Returns the weight of the limit in {@link Combine.Weighted}. */
  public long weight() {
    return ruleLimit.weight();
  }

  /** Returns the attributes of which each distinct value has its own state. */
  public List<String> per() {
    return per;
  }

  /** Returns the named cost that the limit is charged; empty for the request's plain cost. */
  public Optional<String> cost() {
    return ruleLimit.cost();
  }

  /** Returns whether a request without the named cost is an error. */
  boolean isCostRequired() {
    return ruleLimit.isCostRequired();
  }

  long costOf(Request request) {
    return cost == null ? request.cost() : request.costs().getOrDefault(cost, 0L);
  }

  /**
   * Returns the key of the subject's state. Several values are each preceded by their length, so
   * that {@code a:b, c} and {@code a, b:c} differ. Subjects without the attribute share the empty
   * value, which no attribute can have, so that they don't escape the limit. A key of more than 128
   * characters ends with a hash instead, so that what a store keeps of it is bounded.
   */
  public String keyOf(Subject subject) {
    if (only == null) return KeyDigest.bounded(valueOf(subject, per));
    String value = subject.find(only);
    return value == null ? "" : KeyDigest.bounded(value);
  }

  /** Returns the tenant of the subject and its weight; null if the limit is not shared fairly. */
  @Nullable Share shareOf(Subject subject) {
    return sharing == null ? null : TenantShare.of(sharing, subject);
  }

  /** Returns a text that identifies the subject's values of the attributes. */
  static String valueOf(Subject subject, List<String> attributes) {
    return switch (attributes.size()) {
      case 0 -> "";
      case 1 -> value(subject, attributes.getFirst());
      default -> {
        var key = new StringBuilder();
        for (var attribute : attributes) {
          String value = value(subject, attribute);
          key.append(value.length()).append(':').append(value);
        }
        yield key.toString();
      }
    };
  }

  /** Returns the value of an attribute in counter keys, with IP addresses in canonical form. */
  static String value(Subject subject, String attribute) {
    String value = subject.find(attribute);
    if (value == null) return "";
    if (!attribute.equals(Pattern.Cidr.ATTRIBUTE)) return value;
    var address = IpAddress.parse(value);
    return address == null ? value : address.counterValue();
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
