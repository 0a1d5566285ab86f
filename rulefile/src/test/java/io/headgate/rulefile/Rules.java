package io.headgate.rulefile;

import io.headgate.limit.AdaptiveConcurrency;
import io.headgate.limit.Concurrency;
import io.headgate.limit.Deny;
import io.headgate.limit.FairShare;
import io.headgate.limit.FairSharing;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.Shed;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.TokenBucket;
import io.headgate.limit.Tuning;
import io.headgate.limit.Unlimited;
import io.headgate.limit.Window;
import io.headgate.load.ShedPolicy;
import io.headgate.load.SignalKind;
import io.headgate.rule.Combine;
import io.headgate.rule.Consistency;
import io.headgate.rule.FailurePolicy;
import io.headgate.rule.LimitOverride;
import io.headgate.rule.Match;
import io.headgate.rule.Mode;
import io.headgate.rule.Pattern;
import io.headgate.rule.RegionScope;
import io.headgate.rule.RegionSettings;
import io.headgate.rule.ReservationSettings;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.Schedule;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;

/**
 * Generates random rules that are valid and that a file can express.
 *
 * <p>Some settings have no effect, such as a weight in a rule that is not weighted.
 */
final class Rules {
  private static final String LETTERS =
      "abcXYZ019._-/:@ *\\\"'#,&!|>%{}[]?\n\t\r\u0000\u007f\u0085\u2028\ufeff\ufffeäß日😀\ud800";
  private static final List<String> ZONES =
      List.copyOf(new TreeSet<>(ZoneId.getAvailableZoneIds()));

  private final Random random;

  Rules(Random random) {
    this.random = random;
  }

  List<Rule> rules() {
    var rules = new ArrayList<Rule>();
    var ids = new TreeSet<String>();
    for (int i = random.nextInt(5); i > 0; i--) ids.add(name());
    for (var id : ids) rules.add(rule(id));
    return rules;
  }

  Rule rule(String id) {
    if (maybe(0.1)) return exempt(id);
    if (maybe(0.1)) return shedding(id);
    var limits =
        maybe(0.1)
            ? List.of(RuleLimit.of(id, new Deny()))
            : maybe(0.5) ? List.of(ruleLimit(maybe(0.8) ? id : name())) : ruleLimits();
    // A limit without parameters is written without its name, which is then the default.
    String single = limits.size() == 1 ? limits.getFirst().name() : id;
    var overrides = new ArrayList<LimitOverride>();
    for (int i = random.nextInt(3); i > 0; i--) {
      var own =
          maybe(0.2)
              ? List.of(RuleLimit.of(single, oneOf(new Deny(), new Unlimited())))
              : maybe(0.7) ? List.of(ruleLimit(limits.getFirst().name())) : ruleLimits();
      overrides.add(new LimitOverride(match(), own));
    }
    var rule =
        Rule.named(id)
            .match(match())
            .combine(
                oneOf(
                    new Combine.All(),
                    new Combine.Any(),
                    new Combine.Weighted(1 + random.nextInt(1000)),
                    new Combine.Hierarchical(),
                    new Combine.Priority()))
            .limits(limits)
            .overrides(overrides)
            .fallback(maybe(0.3))
            .mode(oneOf(Mode.values()))
            .consistency(oneOf(Consistency.values()))
            .onStoreFailure(
                oneOf(
                    new FailurePolicy.Allow(),
                    new FailurePolicy.Deny(),
                    new FailurePolicy.Local(),
                    new FailurePolicy.AllowThenDeny(duration(1L << 40))));
    if (maybe(0.5)) rule.description(text(20));
    if (maybe(0.5)) rule.per(attributes());
    if (maybe(0.5)) rule.property("status", "" + status());
    if (maybe(0.5)) rule.active(schedule());
    if (maybe(0.5)) rule.reservation(reservation());
    if (maybe(0.3)) {
      var scope = oneOf(RegionScope.LOCAL, RegionScope.HOME);
      rule.regions(new RegionSettings(Optional.of(scope), Map.of()));
    }
    return rule.build();
  }

  private ReservationSettings reservation() {
    return new ReservationSettings(
        maybe(0.5)
            ? ReservationSettings.DEFAULT.ttl()
            : Duration.ofSeconds(1 + random.nextInt(3600)),
        maybe(0.5) ? 1_000 : 1 + random.nextInt(1_000),
        maybe(0.5) ? OptionalLong.empty() : OptionalLong.of(1 + random.nextLong(1L << 52)),
        oneOf(ReservationSettings.Excess.values()),
        oneOf(ReservationSettings.OnExpiry.values()),
        maybe(0.5) ? Optional.empty() : Optional.of(Duration.ofSeconds(1 + random.nextInt(3600))));
  }

  private Rule shedding(String id) {
    var signal = oneOf(SignalKind.values());
    double target = 1 + random.nextInt(999);
    var policy = ShedPolicy.of(signal, signal.isShare() ? target / 1000 : target);
    if (maybe(0.7)) policy = policy.withPriorities("tier", "critical", "normal", "bulk");
    if (maybe(0.5) && !policy.order().isEmpty()) {
      policy = policy.withGuarantee("critical", random.nextInt(500)).withGuarantee("bulk", 1);
    }
    if (maybe(0.3)) policy = policy.withCallers("tenant", "user");
    var rule = Rule.named(id).match(match()).limit(new Shed(policy)).mode(oneOf(Mode.values()));
    if (maybe(0.5)) rule.per(attributes());
    if (maybe(0.5)) rule.property("status", "" + (400 + random.nextInt(200)));
    if (maybe(0.3))
      rule.override(new LimitOverride(match(), List.of(RuleLimit.of(id, new Unlimited()))));
    return rule.build();
  }

  private Rule exempt(String id) {
    var rule = Rule.named(id).exempt().match(match()).mode(oneOf(Mode.values()));
    if (maybe(0.5)) rule.description(text(20));
    if (maybe(0.5)) rule.active(schedule());
    return rule.build();
  }

  /** Returns a status other than the default, which is left out. */
  private int status() {
    int status = 400 + random.nextInt(200);
    return status == RuleStatus.TOO_MANY_REQUESTS ? 403 : status;
  }

  private List<RuleLimit> ruleLimits() {
    var names = new TreeSet<String>();
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      names.add(oneOf(name(), "token-bucket", "concurrency"));
    }
    return names.stream().map(this::ruleLimit).toList();
  }

  private RuleLimit ruleLimit(String name) {
    var limit = maybe(0.1) ? tuned(name) : RuleLimit.of(name, limit());
    if (maybe(0.5)) limit = limit.withCost(oneOf("bytes", text(5) + "x"));
    if (maybe(0.2)) limit = limit.withRequiredCost(oneOf("bytes", text(5) + "x"));
    if (maybe(0.5)) limit = limit.withPer(attributes());
    if (maybe(0.5)) limit = limit.withWeight(1 + random.nextInt(1_000_000));
    if (maybe(0.5)) limit = limit.withPriority(random.nextInt());
    return maybe(0.5) ? limit.withScope(oneOf(RuleLimit.Scope.values())) : limit;
  }

  private RuleLimit tuned(String name) {
    var period = Duration.ofSeconds(1 + random.nextInt(60));
    long low = 1L + random.nextInt(100);
    long rate = low + random.nextInt(100);
    long high = rate + 1L + random.nextInt(10_000);
    Optional<Rate> pin = maybe(0.3) ? Optional.of(Rate.of(rate, period)) : Optional.empty();
    var signal = oneOf(SignalKind.values());
    double target = 1 + random.nextInt(999);
    return RuleLimit.of(name, new TokenBucket(Rate.of(rate, period), 1 + random.nextInt(50)))
        .withTuning(
            new Tuning(
                Rate.of(low, period),
                Rate.of(high, period),
                signal,
                signal.isShare() ? target / 1000 : target,
                pin));
  }

  private Limit limit() {
    while (true) {
      try {
        return anyLimit();
      } catch (IllegalArgumentException e) {
        // Too large for exact arithmetic; generate another.
      }
    }
  }

  private Limit anyLimit() {
    var rate = Rate.of(count(1L << random.nextInt(53)), duration(1L << (1 + random.nextInt(50))));
    return switch (random.nextInt(12)) {
      case 11 -> adaptive();
      case 10 -> new FairShare(new TokenBucket(rate, count(1000)), sharing());
      case 0 -> TokenBucket.of(rate);
      case 1 -> new TokenBucket(rate, count(1000));
      case 2 -> LeakyBucket.of(rate);
      case 3 -> LeakyBucket.of(rate).withQueue(count(1000));
      case 4 -> LeakyBucket.of(rate).withMaxWait(duration(1_000_000));
      case 5 -> FixedWindow.of(rate);
      case 6 ->
          FixedWindow.of(
              count((1L << 52) - 1), new Window.Calendar(oneOf(Window.Unit.values()), zone()));
      case 7 ->
          new SlidingWindow(rate, 1 + random.nextInt(20), oneOf(SlidingWindow.Bound.values()));
      case 8 ->
          RollingWindow.of(rate).withMinInterval(maybe(0.5) ? Duration.ZERO : duration(1_000));
      default ->
          Concurrency.of(count(100_000))
              .withLease(maybe(0.5) ? Concurrency.DEFAULT_LEASE : duration(1L << 40));
    };
  }

  private AdaptiveConcurrency adaptive() {
    long min = maybe(0.5) ? 1 : count(1_000);
    long max = min + random.nextInt(10_000);
    var limit = AdaptiveConcurrency.between(min, max);
    if (maybe(0.5)) limit = limit.withInitial(min + random.nextLong(max - min + 1));
    return maybe(0.5) ? limit : limit.withLease(duration(1L << 40));
  }

  private FairSharing sharing() {
    var weights = new TreeMap<String, Integer>();
    for (int i = random.nextInt(3); i > 0; i--) weights.put(text(12), 1 + random.nextInt(1000));
    if (weights.isEmpty()) return FairSharing.among("fair-1", "fair-2");
    return new FairSharing(
        List.of("fair-1"), maybe(0.5) ? Optional.empty() : Optional.of("plan"), weights);
  }

  private Match match() {
    var conditions = new LinkedHashMap<String, Pattern>();
    for (int i = random.nextInt(3); i > 0; i--) {
      String attribute = attribute();
      var patterns = new ArrayList<Pattern>();
      for (int j = 1 + random.nextInt(3); j > 0; j--) {
        patterns.add(Pattern.parse(attribute, attribute.equals("ip") ? block() : text(12) + "x"));
      }
      conditions.put(attribute, condition(attribute, Pattern.anyOf(patterns)));
    }
    return new Match(conditions);
  }

  private Pattern condition(String attribute, Pattern pattern) {
    if (maybe(0.1)) return new Pattern.Absent();
    var present = maybe(0.2) ? new Pattern.Except(Pattern.parse(attribute, "*"), pattern) : pattern;
    return maybe(0.2) ? new Pattern.OrAbsent(present) : present;
  }

  private String block() {
    return oneOf("10.1.2.3", "10.0.0.0/8", "::1", "2001:db8::/32", "10.*", "*", "0.0.0.0/0");
  }

  private Schedule schedule() {
    var days = EnumSet.noneOf(DayOfWeek.class);
    for (int i = 1 + random.nextInt(7); i > 0; i--) days.add(DayOfWeek.of(1 + random.nextInt(7)));
    var start = moment();
    return new Schedule(
        maybe(0.5) ? Set.of(DayOfWeek.values()) : days,
        optional(this::hours),
        zone(),
        optional(() -> start),
        optional(() -> start.plus(duration(1L << 50))));
  }

  private Schedule.Hours hours() {
    int from = random.nextInt(24 * 60);
    int to = (from + 1 + random.nextInt(24 * 60 - 1)) % (24 * 60);
    return new Schedule.Hours(time(from), time(to));
  }

  private LocalTime time(int minutes) {
    return LocalTime.ofSecondOfDay(minutes * 60L + (maybe(0.2) ? random.nextInt(60) : 0));
  }

  private LocalDateTime moment() {
    var date = LocalDate.of(2026, 1, 1).plusDays(random.nextInt(5000));
    return maybe(0.5) ? date.atStartOfDay() : date.atTime(time(random.nextInt(24 * 60)));
  }

  private ZoneId zone() {
    return ZoneId.of(oneOf("UTC", "+02:00", "Z", ZONES.get(random.nextInt(ZONES.size()))));
  }

  /** Returns a number from 1 to {@code max}, often a round one. */
  private long count(long max) {
    long count = 1 + random.nextLong(max);
    long round = oneOf(1L, 1000L, 1024L, 1_000_000L);
    return count > round ? count - count % round : count;
  }

  private Duration duration(long maxMicros) {
    return Duration.of(1 + random.nextLong(maxMicros), ChronoUnit.MICROS)
        .truncatedTo(ChronoUnit.MICROS)
        .plus(maybe(0.5) ? Duration.ZERO : Duration.ofHours(random.nextInt(100)));
  }

  private List<String> attributes() {
    var names = new TreeSet<String>();
    for (int i = random.nextInt(3); i > 0; i--) {
      // Not one typo away from a random attribute of match, which is an error.
      names.add(oneOf("ip", "user", "key", "true", "off", "per:" + random.nextInt(1_000_000)));
    }
    return List.copyOf(names);
  }

  private String attribute() {
    return oneOf("ip", "user", "key", "true", "off", text(10) + "x");
  }

  private String name() {
    var name = new StringBuilder();
    for (int i = 1 + random.nextInt(10); i > 0; i--) {
      name.append("abcXYZ019._-/:@".charAt(random.nextInt(15)));
    }
    return oneOf("off", "1h", "null", "1e3", "0x1f", name.toString());
  }

  private String text(int max) {
    var text = new StringBuilder();
    for (int i = random.nextInt(max + 1); i > 0; i--) {
      int at = random.nextInt(LETTERS.length());
      text.append(LETTERS.charAt(at));
    }
    return text.toString();
  }

  private <T> Optional<T> optional(Supplier<T> value) {
    return maybe(0.6) ? Optional.empty() : Optional.of(value.get());
  }

  private boolean maybe(double chance) {
    return random.nextDouble() < chance;
  }

  @SafeVarargs
  private <T> T oneOf(T... values) {
    return values[random.nextInt(values.length)];
  }
}
