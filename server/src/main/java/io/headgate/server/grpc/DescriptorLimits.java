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
 * Applies the limits that descriptors contain (Envoy's {@code RateLimitOverride}). Such a limit
 * replaces the rules for its descriptor if a rule matches the domain, unless a rule excuses the
 * descriptor from all limits or denies every request. Each descriptor has its own counter, a fixed
 * window aligned to the calendar.
 *
 * <p>Not thread-safe: each event loop has an instance that caches compiled limits without locks.
 */
final class DescriptorLimits {
  static final String RULE = GrpcApi.DESCRIPTOR_LIMIT;

  private static final String ATTRIBUTE = "entries";
  private static final int MAX_CACHED = 1_000;
  private static final ZoneId UTC = ZoneId.of("UTC");

  /** The relevant fields of a limit, used as the cache key; a message may have unknown fields. */
  private record LimitKey(RateLimitUnit unit, int permits) {
    /** The replacement of a limit with an unknown unit, which denies everything. */
    private static final LimitKey DENY_ALL = new LimitKey(RateLimitUnit.SECOND, 0);

    static LimitKey of(RateLimitDescriptor.RateLimitOverride limit) {
      return limit.getUnit() == RateLimitUnit.UNKNOWN
              || limit.getUnit() == RateLimitUnit.UNRECOGNIZED
          ? DENY_ALL
          : new LimitKey(limit.getUnit(), limit.getRequestsPerUnit());
    }
  }

  private final Map<LimitKey, RuleSet> compiled = bounded();
  private final Map<String, Boolean> known = bounded();
  private RuleSet domainsOf = RuleSet.of();

  /**
   * Returns the plan of the descriptor's own limit.
   *
   * @param byRules the plan of the rules for the same request
   * @return empty if the descriptor has no limit, no rule matches its domain, or a rule decides
   *     alone
   */
  Optional<Plan> plan(
      RuleSet rules, Plan byRules, Request request, String domain, RateLimitDescriptor descriptor) {
    if (!descriptor.hasLimit() || byRules.isDenied() || byRules.isExempt()) {
      return Optional.empty();
    }
    if (byRules.parts().isEmpty() && !isKnown(rules, Descriptors.value(domain))) {
      return Optional.empty();
    }
    var limit = descriptor.getLimit();
    var key = LimitKey.of(limit);
    var own = compiled.computeIfAbsent(key, DescriptorLimits::compile);
    var subject = Subject.of(ATTRIBUTE, text(domain, descriptor));
    boolean closed = key.permits == 0;
    long cost = closed && request.cost() > 0 ? Request.MAX_COST : request.cost();
    return Optional.of(own.plan(Request.of(subject, cost), 0, 0));
  }

  /** Compiles a limit. A limit of 0 becomes one of 1, which every request's cost exceeds. */
  private static RuleSet compile(LimitKey limit) {
    var unit = limit.unit;
    long permits = Math.max(1, Integer.toUnsignedLong(limit.permits));
    var named = RuleLimit.of(unit.name().toLowerCase(Locale.ROOT), of(permits, unit));
    return RuleSet.of(Rule.named(RULE).match(ATTRIBUTE, "*").limit(named).build());
  }

  private static FixedWindow of(long permits, RateLimitUnit unit) {
    return FixedWindow.of(
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

  /** Returns whether a rule matches the domain; cached until the rules change. */
  private boolean isKnown(RuleSet rules, String domain) {
    if (!rules.equals(domainsOf)) {
      known.clear();
      domainsOf = rules;
    }
    return known.computeIfAbsent(domain, name -> rules.rules().stream().anyMatch(isAbout(name)));
  }

  private static Predicate<Rule> isAbout(String domain) {
    return rule -> {
      var pattern = rule.match().conditions().get(EnvoyAttributes.DOMAIN);
      return pattern != null && pattern.matches(domain);
    };
  }

  /** Encodes a descriptor injectively: each part is prefixed with its length. */
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
        return size() > MAX_CACHED;
      }
    };
  }
}
