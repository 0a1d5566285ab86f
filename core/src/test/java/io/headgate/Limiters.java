package io.headgate;

import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.store.MemoryStore;

/** Creates limiters in memory with a manual clock. */
final class Limiters {
  static RateLimiter limiter(ManualTicker ticker, Rule... rules) {
    return limiter(ticker, RuleSet.of(rules));
  }

  static RateLimiter limiter(ManualTicker ticker, RuleSet rules) {
    return RateLimiter.with(MemoryStore.create(ticker, 10_000), rules, ticker);
  }

  static TokenBucket perMinute(long permits) {
    return TokenBucket.of(Rate.perMinute(permits));
  }

  private Limiters() {}
}
