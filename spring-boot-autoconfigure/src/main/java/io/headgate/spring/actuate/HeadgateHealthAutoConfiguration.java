package io.headgate.spring.actuate;

import io.headgate.RateLimiter;
import io.headgate.spring.HeadgateAutoConfiguration;
import io.headgate.spring.StoreStatus;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** Adds the health of the limiter to that of the application. */
@AutoConfiguration(after = HeadgateAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(RateLimiter.class)
@ConditionalOnBooleanProperty(name = "headgate.enabled", matchIfMissing = true)
public final class HeadgateHealthAutoConfiguration {
  HeadgateHealthAutoConfiguration() {}

  @Bean
  @ConditionalOnEnabledHealthIndicator("headgate")
  @ConditionalOnMissingBean(name = "headgateHealthIndicator")
  HealthIndicator headgateHealthIndicator(RateLimiter limiter, StoreStatus store) {
    return new HeadgateHealthIndicator(limiter, store);
  }
}
