package io.headgate.spring.actuate;

import io.headgate.RateLimiter;
import io.headgate.spring.HeadgateAutoConfiguration;
import io.headgate.spring.StoreStatus;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Adds the Actuator endpoint {@code headgate}. */
@AutoConfiguration(after = HeadgateAutoConfiguration.class)
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
@ConditionalOnBean(RateLimiter.class)
@ConditionalOnBooleanProperty(name = "headgate.enabled", matchIfMissing = true)
public final class HeadgateEndpointAutoConfiguration {
  HeadgateEndpointAutoConfiguration() {}

  @Bean
  @ConditionalOnMissingBean
  @ConditionalOnAvailableEndpoint
  HeadgateEndpoint headgateEndpoint(RateLimiter limiter, StoreStatus store) {
    return new HeadgateEndpoint(limiter, store);
  }
}
