package io.headgate.benchmarks;

import io.headgate.limit.FixedWindow;
import io.headgate.limit.Holdable;
import io.headgate.limit.Rate;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.TokenBucket;

/** The algorithms that support all consistency modes. */
public enum HoldableLimit {
  TOKEN_BUCKET("token bucket"),
  FIXED_WINDOW("fixed window"),
  SLIDING_WINDOW("sliding window");

  public final String title;

  HoldableLimit(String title) {
    this.title = title;
  }

  public Holdable of(Rate rate) {
    return switch (this) {
      case TOKEN_BUCKET -> TokenBucket.of(rate);
      case FIXED_WINDOW -> FixedWindow.of(rate);
      case SLIDING_WINDOW -> SlidingWindow.of(rate);
    };
  }
}
