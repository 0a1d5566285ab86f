package io.headgate.spring.slice;

import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Rule;
import java.time.Duration;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

/** An application of which tests load a part. One request in an hour passes for each path. */
@SpringBootApplication
class SlicedApplication {
  @Bean
  Rule perPath() {
    return Rule.named("per-path")
        .match("path", "*")
        .limit(TokenBucket.of(Rate.of(1, Duration.ofHours(1))))
        .build();
  }
}
