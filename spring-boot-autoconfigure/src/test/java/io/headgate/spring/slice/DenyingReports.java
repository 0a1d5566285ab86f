package io.headgate.spring.slice;

import io.headgate.RateLimiter;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Rule;
import io.headgate.rule.Subject;
import io.headgate.spring.LimitExceededException;
import java.time.Duration;

/** The service of a test, whose calls are denied for a user named "denied". */
class DenyingReports extends SlicedReports {
  @Override
  String create(String user) {
    if (!user.equals("denied")) return "report of " + user;
    var rule =
        Rule.named("reports")
            .match("key", "*")
            .limit(TokenBucket.of(Rate.of(1, Duration.ofHours(1))))
            .build();
    try (var limiter = RateLimiter.inMemory(rule)) {
      var unused = limiter.check(Subject.of(user));
      throw new LimitExceededException("create", limiter.checkForResult(Subject.of(user)));
    }
  }
}
