package io.headgate.benchmarks;

/** The limiters compared in process, with the names of their benchmark methods. */
enum ComparedLimiter {
  FLOOR("floor", "baseline: one compare-and-set", true),
  STORE("headgateStore", "**Headgate**, store", true),
  CHECK("headgateCheck", "**Headgate**, `check`", true),
  GUAVA("guava", "Guava", false),
  BUCKET4J("bucket4j", "bucket4j", true),
  RESILIENCE4J("resilience4j", "resilience4j", false);

  final String method;
  final String title;

  /** Whether its clock can be configured. */
  final boolean takesClock;

  ComparedLimiter(String method, String title, boolean takesClock) {
    this.method = method;
    this.title = title;
    this.takesClock = takesClock;
  }
}
