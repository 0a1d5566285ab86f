package io.headgate.server.grpc;

import io.headgate.limit.FixedWindow;
import io.headgate.limit.Window;
import io.headgate.rule.Plan;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.rulefile.EnvoyAttributes;
import io.headgate.server.grpc.proto.RateLimitDescriptor;
import io.headgate.server.grpc.proto.RateLimitUnit;
import java.time.Duration;
import java.time.ZoneId;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Limits that descriptors bring along. Such a limit holds instead of the rules, where the domain is
 * known to one of them; each descriptor is counted by itself, in windows of the calendar.
 *
 * <p>Of one event loop: what has been compiled and looked up is kept without locks.
 */
final class DescriptorLimits {
  static final String RULE = GrpcApi.DESCRIPTOR_LIMIT;

  private static final String ATTRIBUTE = "entries";
  private static final int MOST_KEPT = 1_000;
  private static final ZoneId UTC = ZoneId.of("UTC");

  /** What counts of the limit; the message may hold more, as long as its sender likes. */
  private record Wanted(RateLimitUnit unit, int permits) {
    /** A limit per a unit that is not known lets nothing pass: it can't be kept, nor ignored. */
    private static final Wanted NOTHING = new Wanted(RateLimitUnit.SECOND, 0);

    static Wanted of(RateLimitDescriptor.RateLimitOverride limit) {
      return limit.getUnit() == RateLimitUnit.UNKNOWN
              || limit.getUnit() == RateLimitUnit.UNRECOGNIZED
          ? NOTHING
          : new Wanted(limit.getUnit(), limit.getRequestsPerUnit());
    }
  }

  private final Map<Wanted, RuleSet> compiled = bounded();
  private final Map<String, Boolean> known = bounded();
  private RuleSet knownOf = RuleSet.of();

  /** What the descriptor is held against by its own limit; empty if it has none that counts. */
  Optional<Plan> plan(
      RuleSet rules, Plan byRules, Request request, String domain, RateLimitDescriptor descriptor) {
    if (!descriptor.hasLimit()) return Optional.empty();
    if (byRules.parts().isEmpty() && !isKnown(rules, Descriptors.value(domain))) {
      return Optional.empty();
    }
    var limit = descriptor.getLimit();
    var wanted = Wanted.of(limit);
    var own = compiled.computeIfAbsent(wanted, DescriptorLimits::compile);
    var subject = Subject.of(ATTRIBUTE, text(domain, descriptor));
    boolean closed = wanted.permits == 0;
    long cost = closed && request.cost() > 0 ? Request.HIGHEST_COST : request.cost();
    return Optional.of(own.plan(Request.of(subject, cost), 0, 0));
  }

  /** No limit is of 0: one that lets nothing pass is one of 1, of which everything takes more. */
  private static RuleSet compile(Wanted limit) {
    var unit = limit.unit;
    long permits = Math.max(1, Integer.toUnsignedLong(limit.permits));
    var named = RuleLimit.of(unit.name().toLowerCase(Locale.ROOT), of(permits, unit));
    return RuleSet.of(Rule.named(RULE).match(ATTRIBUTE, "*").limit(named).build());
  }

  private static FixedWindow of(long permits, RateLimitUnit unit) {
    return new FixedWindow(
        permits,
        switch (unit) {
          case SECOND -> new Window.Epoch(Duration.ofSeconds(1));
          case MINUTE -> new Window.Epoch(Duration.ofMinutes(1));
          case HOUR -> new Window.Epoch(Duration.ofHours(1));
          case DAY -> new Window.Epoch(Duration.ofDays(1));
          case WEEK -> new Window.Calendar(Window.Unit.WEEK, UTC);
          case MONTH -> new Window.Calendar(Window.Unit.MONTH, UTC);
          case YEAR -> new Window.Calendar(Window.Unit.YEAR, UTC);
          case UNKNOWN, UNRECOGNIZED -> throw new IllegalArgumentException("no unit: " + unit);
        });
  }

  /** Whether any rule is about the domain. */
  private boolean isKnown(RuleSet rules, String domain) {
    if (!rules.equals(knownOf)) {
      known.clear();
      knownOf = rules;
    }
    return known.computeIfAbsent(domain, name -> rules.rules().stream().anyMatch(isAbout(name)));
  }

  private static Predicate<Rule> isAbout(String domain) {
    return rule -> {
      var pattern = rule.match().conditions().get(EnvoyAttributes.DOMAIN);
      return pattern != null && pattern.matches(domain);
    };
  }

  /** One text for one descriptor: each part is preceded by its length, so that none runs over. */
  private static String text(String domain, RateLimitDescriptor descriptor) {
    var text = new StringBuilder();
    append(text, domain);
    for (var entry : descriptor.getEntriesList()) {
      append(text, Descriptors.key(entry));
      append(text, Descriptors.value(entry));
    }
    return Descriptors.value(text.toString());
  }

  private static void append(StringBuilder text, String part) {
    text.append(part.length()).append(':').append(part);
  }

  private static <K, V> Map<K, V> bounded() {
    return new LinkedHashMap<>() {
      private static final long serialVersionUID = 1;

      @Override
      protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
        return size() > MOST_KEPT;
      }
    };
  }
}
