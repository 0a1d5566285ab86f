package io.headgate.spring.actuate;

import io.headgate.LimitReport;
import io.headgate.RateLimiter;
import io.headgate.RuleExplanation;
import io.headgate.rule.Rule;
import io.headgate.rule.Subject;
import io.headgate.rulefile.RuleFile;
import io.headgate.spring.StoreStatus;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/**
 * The endpoint {@code headgate}: the rules in force, the state of a subject, and the reset of its
 * counters. A subject is a key, or attributes such as {@code user=42,ip=192.0.2.7}. Exposed without
 * further settings it only reads, since a reset gives a caller its whole limit again.
 */
@Endpoint(id = "headgate", defaultAccess = Access.READ_ONLY)
public final class HeadgateEndpoint {
  private final RateLimiter limiter;
  private final StoreStatus store;

  HeadgateEndpoint(RateLimiter limiter, StoreStatus store) {
    this.limiter = limiter;
    this.store = store;
  }

  /** The rules in force, and the store. */
  public record Overview(String store, boolean storeUnavailable, List<RuleView> rules) {}

  /**
   * A rule.
   *
   * @param definition the rule as JSON, in the format of a rule file
   */
  public record RuleView(String id, String description, String definition) {}

  /** The state of a subject, of every rule that applies to it. */
  public record State(Map<String, String> subject, List<LimitView> limits) {}

  /** The state of one limit; figures are null while they are unknown. */
  public record LimitView(
      String rule,
      String name,
      String algorithm,
      long limit,
      @Nullable Long remaining,
      @Nullable Long resetAfterMs) {}

  /** The counters that were reset, by rule. */
  public record Reset(List<String> rules) {}

  /** Returns the rules in force. */
  @ReadOperation
  public Overview rules() {
    return new Overview(
        store.description(),
        store.isUnavailable(),
        limiter.rules().rules().stream()
            .map(rule -> new RuleView(rule.id(), rule.description(), RuleFile.json(rule)))
            .toList());
  }

  /** Returns the state of a subject. Charges nothing. */
  @ReadOperation
  public State state(@Selector(match = Selector.Match.ALL_REMAINING) String... subject) {
    var parsed = parse(subject);
    var limits =
        limiter.explain(parsed).stream()
            .map(RuleExplanation::limits)
            .flatMap(List::stream)
            .map(HeadgateEndpoint::view)
            .toList();
    return new State(parsed.attributes(), limits);
  }

  private static LimitView view(LimitReport report) {
    return new LimitView(
        report.rule(),
        report.name(),
        report.algorithm().id(),
        report.limit(),
        report.isKnown() ? report.remaining() : null,
        report.isKnown() ? report.resetAfter().toMillis() : null);
  }

  /**
   * Clears the counters of a subject.
   *
   * @param rule the id of a rule; null for all rules
   */
  @WriteOperation
  public Reset reset(
      @Selector(match = Selector.Match.ALL_REMAINING) String[] subject, @Nullable String rule) {
    var parsed = parse(subject);
    var ids = limiter.rules().rules().stream().map(Rule::id).toList();
    if (rule != null && !ids.contains(rule)) {
      throw new InvalidEndpointRequestException(
          "rule '%s' does not exist; rules: %s".formatted(rule, ids), "unknown rule");
    }
    return new Reset(
        ids.stream()
            .filter(id -> rule == null || rule.equals(id))
            .filter(id -> limiter.reset(parsed, id))
            .toList());
  }

  /** A value such as a path may have slashes, which separate the segments. */
  private static Subject parse(String[] segments) {
    String text = String.join("/", segments);
    try {
      if (text.indexOf('=') < 0) return Subject.of(text);
      var attributes = new LinkedHashMap<String, String>();
      for (var pair : text.split(",", -1)) {
        int equals = pair.indexOf('=');
        if (equals < 0) throw new IllegalArgumentException("'%s' has no '='".formatted(pair));
        attributes.put(pair.substring(0, equals).strip(), pair.substring(equals + 1).strip());
      }
      return Subject.of(attributes);
    } catch (IllegalArgumentException e) {
      throw new InvalidEndpointRequestException(
          "not a subject: %s; write a key or user=42,ip=192.0.2.7".formatted(e.getMessage()),
          "invalid subject");
    }
  }
}
