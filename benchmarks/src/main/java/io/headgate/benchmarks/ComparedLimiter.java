package io.headgate.benchmarks;

/** Who is compared; the name of its method in the benchmarks. */
enum ComparedLimiter {
  FLOOR("floor", "floor: one compare-and-set", true),
  STORE("headgateStore", "**Headgate**, store", true),
  CHECK("headgateCheck", "**Headgate**, `check`", true),
  GUAVA("guava", "Guava", false),
  BUCKET4J("bucket4j", "bucket4j", true),
  RESILIENCE4J("resilience4j", "resilience4j", false);

  final String method;
  final String title;

  /** Whether it can be given another clock than its own. */
  final boolean takesClock;

  ComparedLimiter(String method, String title, boolean takesClock) {
    this.method = method;
    this.title = title;
    this.takesClock = takesClock;
  }
}
