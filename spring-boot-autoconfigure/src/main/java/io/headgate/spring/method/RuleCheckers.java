package io.headgate.spring.method;

import io.headgate.RateLimiter;
import io.headgate.http.CheckListener;
import io.headgate.http.RequestChecker;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rulefile.RuleFile;
import io.headgate.spring.CheckerDecorator;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * Creates checkers that decide by one rule alone. Those of named rules have the counters of the
 * rule in the application's store, and follow changes of the rules. Thread-safe.
 */
final class RuleCheckers {
  private static final Pattern RATE = Pattern.compile("[0-9].*/.*");
  private static final int MAX_ID_LENGTH = 128;

  private record Snapshot(RuleSet rules, Map<String, RequestChecker> byRule) {}

  private final RateLimiter limiter;
  private final Duration maxDelay;
  private final CheckListener listener;
  private final CheckerDecorator decorator;
  private volatile Snapshot snapshot = new Snapshot(RuleSet.of(), Map.of());

  RuleCheckers(
      RateLimiter limiter, Duration maxDelay, CheckListener listener, CheckerDecorator decorator) {
    this.limiter = limiter;
    this.maxDelay = maxDelay;
    this.listener = listener;
    this.decorator = decorator;
  }

  /** Returns whether the text is a limit, rather than the id of a rule. */
  static boolean isLimit(String text) {
    return text.startsWith("{") || RATE.matcher(text).matches();
  }

  /**
   * Returns the checker of a rule in force.
   *
   * @param user the method with the annotation, for messages
   * @throws IllegalStateException if there is no such rule, or if it can't be used alone
   */
  @SuppressWarnings("ReferenceEquality")
  RequestChecker named(String id, String user) {
    var rules = limiter.rules();
    var current = snapshot;
    if (current.rules != rules) {
      current = new Snapshot(rules, new ConcurrentHashMap<>());
      snapshot = current;
    }
    var known = current.byRule.get(id);
    if (known != null) return known;
    var created = checker(require(rules, id, user));
    current.byRule.put(id, created);
    return created;
  }

  private static Rule require(RuleSet rules, String id, String user) {
    for (var rule : rules.rules()) {
      if (!rule.id().equals(id)) continue;
      if (rule.sheds() || rule.isTuned()) {
        throw new IllegalStateException(
            "@Limited on %s names the rule '%s', which follows the load of a backend; name a rule with static limits"
                .formatted(user, id));
      }
      return rule;
    }
    throw new IllegalStateException(
        "@Limited on %s names the rule '%s', which does not exist; rules: %s"
            .formatted(user, id, rules.rules().stream().map(Rule::id).toList()));
  }

  /**
   * Creates the checker of a limit with one counter for each key.
   *
   * @param method the method, whose name is the id of the rule
   * @throws io.headgate.rulefile.RuleFileException if the text is not a valid limit
   */
  RequestChecker inline(String limit, String method, boolean hasKey) {
    String text = limit.startsWith("{") ? limit : "{algorithm: token-bucket, rate: " + limit + "}";
    String id = method.replace('$', '.');
    var rule = Rule.named(id.substring(Math.max(0, id.length() - MAX_ID_LENGTH)));
    if (hasKey) rule.match("key", "*");
    return checker(rule.limit(RuleFile.readLimit(text, "@Limited on " + method)).build());
  }

  private RequestChecker checker(Rule rule) {
    var alone = RateLimiter.with(limiter.store(), RuleSet.of(rule));
    return decorator.decorate(RequestChecker.of(alone, maxDelay, listener));
  }
}
