package io.headgate.system.endurance;

import java.util.SplittableRandom;

/**
 * The rules of the suite, and keys for them. Their number is small, so that caches fill at once.
 */
final class Keys {
  /** The limit of the strict rule for a second. */
  static final int STRICT_LIMIT = 100;

  private static final String PADDING = "-" + "x".repeat(520);

  static final String STRICT = "strict:1" + PADDING;

  static final String RULES =
      """
      rules:
        - id: strict
          match: { key: "strict:*" }
          on-store-failure: deny
          limit: { algorithm: fixed-window, rate: 100/1s }
        - { id: open, match: { key: "open:*" }, limit: { algorithm: token-bucket, rate: 1M/1s } }
        - { id: sliding, match: { key: "sliding:*" }, limit: { algorithm: sliding-window, rate: 1M/1s } }
        - { id: leased, match: { key: "leased:*" }, consistency: leased, limit: { algorithm: token-bucket, rate: 60M/1m } }
        - { id: eventual, match: { key: "eventual:*" }, consistency: eventual, limit: { algorithm: fixed-window, rate: 1M/1s } }
        - { id: slots, match: { key: "slots:*" }, limit: { algorithm: concurrency, max: 1000, lease: 60s } }
        - { id: reserved, match: { key: "reserved:*" }, limit: { algorithm: token-bucket, rate: 1M/1s } }
        - { id: quota, match: { key: "quota:*" }, limit: { algorithm: token-bucket, rate: 2000/1s, burst: 6000 } }
      """;

  private static final String[] KINDS = {"open:", "sliding:", "leased:", "eventual:"};
  private static final int EACH = 20;

  private Keys() {}

  /** Returns the key of a check. Every second one has the strict rule's only counter. */
  static String any(SplittableRandom random) {
    return random.nextBoolean() ? STRICT : of(KINDS[random.nextInt(KINDS.length)], random);
  }

  /** Returns a key with a prefix. */
  static String of(String prefix, SplittableRandom random) {
    return of(prefix, random.nextInt(EACH));
  }

  static String of(String prefix, int number) {
    return prefix + number + PADDING;
  }

  static String json(String key) {
    return "{\"key\":\"" + key + "\"}";
  }
}
