package io.headgate.benchmarks.scale;

import io.headgate.RateLimiter;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.rulefile.RuleFile;
import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Loads many rules, half with exact keys and half with prefixes, and checks their subjects. */
final class RulesRun {
  private RulesRun() {}

  /**
   * The measurements.
   *
   * @param bytes live heap per rule: the rules and the rule set
   * @param nanos of a check, whose rule is another one each time
   */
  record Result(int rules, double readMillis, double compileMillis, double bytes, double nanos) {
    String row() {
      return String.format(
          Locale.ROOT,
          "%,d rules: %.0f ms to read the YAML, %.0f ms to compile, %.0f bytes of live heap a rule,"
              + " %.0f ns a check",
          rules,
          readMillis,
          compileMillis,
          bytes,
          nanos);
    }
  }

  static Result measure(int count, int checks) {
    String text = RuleFile.yaml(rules(count));
    RuleSet.of(RuleFile.read(RuleFile.yaml(rules(1_000)))); // loads classes
    long before = HeapMeter.live();
    long start = System.nanoTime();
    var read = RuleFile.read(text);
    long readAt = System.nanoTime();
    var set = RuleSet.of(read);
    long compiledAt = System.nanoTime();
    double bytes;
    try {
      bytes = (HeapMeter.live() - before) / (double) count;
    } finally {
      Reference.reachabilityFence(text);
    }
    try (var limiter = RateLimiter.inMemory(set)) {
      run(limiter, count, checks / 4);
      double nanos = run(limiter, count, checks);
      return new Result(count, (readAt - start) / 1e6, (compiledAt - readAt) / 1e6, bytes, nanos);
    }
  }

  private static double run(RateLimiter limiter, int count, int checks) {
    long start = System.nanoTime();
    for (int i = 0; i < checks; i++) {
      int rule = (int) (i * 7_919L % count);
      if (limiter.checkForResult(subject(rule)).limits().size() != 1) {
        throw new IllegalStateException("rule %d did not apply alone".formatted(rule));
      }
    }
    return (System.nanoTime() - start) / (double) checks;
  }

  private static List<Rule> rules(int count) {
    var rules = new ArrayList<Rule>(count);
    var limit = TokenBucket.of(Rate.perMinute(6)).withBurst(100_000_000);
    for (int i = 0; i < count; i++) {
      var rule = Rule.named("rule-" + i).limit(limit);
      rules.add(rule.match("key", i % 2 == 0 ? "key-" + i : "tenant-" + i + ":*").build());
    }
    return rules;
  }

  private static Subject subject(int rule) {
    return Subject.of(rule % 2 == 0 ? "key-" + rule : "tenant-" + rule + ":user");
  }
}
