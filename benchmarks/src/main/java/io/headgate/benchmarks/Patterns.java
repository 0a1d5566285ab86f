package io.headgate.benchmarks;

import io.headgate.rule.Rule;
import io.headgate.rule.Subject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Generates rule sets in which each subject matches exactly one rule. */
public enum Patterns {
  EXACT("exact keys"),
  PREFIX("prefixes"),
  CIDR("CIDR blocks"),
  MIXED("a third of each");

  private static final int MAX_RULES = 1 << 16; // the /24 blocks of 10.0.0.0/8

  final String title;

  Patterns(String title) {
    this.title = title;
  }

  List<Rule> rules(int count) {
    if (count > MAX_RULES)
      throw new IllegalArgumentException("at most %d rules".formatted(MAX_RULES));
    var rules = new ArrayList<Rule>(count);
    for (int i = 0; i < count; i++) {
      var rule = Rule.named("rule-" + i).limit(Quota.SLOW.headgate());
      rules.add(
          switch (kind(i)) {
            case PREFIX -> rule.match("key", "tenant-" + i + ":*").build();
            case CIDR -> rule.match("ip", block(i) + ".0/24").build();
            case EXACT, MIXED -> rule.match("key", "key-" + i).build();
          });
    }
    return rules;
  }

  /** Returns a subject that only the rule of this number matches. */
  Subject subject(int rule) {
    var kind = kind(rule);
    String key =
        switch (kind) {
          case PREFIX -> "tenant-" + rule + ":user-7";
          case CIDR -> "nobody";
          case EXACT, MIXED -> "key-" + rule;
        };
    String ip = kind == CIDR ? block(rule) + ".7" : "192.0.2.7";
    return switch (this) {
      case EXACT, PREFIX -> Subject.of(key);
      case CIDR -> Subject.of("ip", ip);
      case MIXED -> Subject.of(Map.of("key", key, "ip", ip));
    };
  }

  private Patterns kind(int rule) {
    if (this != MIXED) return this;
    return switch (rule % 3) {
      case 0 -> EXACT;
      case 1 -> PREFIX;
      default -> CIDR;
    };
  }

  private static String block(int number) {
    return "10." + (number >> 8) + "." + (number & 255);
  }
}
