package io.headgate.spring.gateway;

import io.headgate.http.RequestChecker;
import io.headgate.spring.HeadgateAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.cloud.gateway.filter.ratelimit.RateLimiter;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;

/** Makes Headgate the rate limiter of Spring Cloud Gateway. */
@AutoConfiguration(
    after = HeadgateAutoConfiguration.class,
    beforeName = {
      "org.springframework.cloud.gateway.config.GatewayAutoConfiguration",
      "org.springframework.cloud.gateway.config.GatewayRedisAutoConfiguration"
    })
@ConditionalOnClass(RateLimiter.class)
@ConditionalOnBean(RequestChecker.class)
@ConditionalOnBooleanProperty(name = "headgate.enabled", matchIfMissing = true)
public final class HeadgateGatewayAutoConfiguration {
  HeadgateGatewayAutoConfiguration() {}

  @Bean
  @Primary
  @ConditionalOnMissingBean(RateLimiter.class)
  GatewayRateLimiter headgateGatewayRateLimiter(RequestChecker checker) {
    return new GatewayRateLimiter(checker);
  }
}
