package io.headgate.spring.webflux;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.web.reactive.DispatcherHandler;

/**
 * Maps denied method calls to responses. Needs no limiter, so that tests of controllers have it,
 * too.
 */
@AutoConfiguration
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnClass(DispatcherHandler.class)
@ConditionalOnBooleanProperty(name = "headgate.enabled", matchIfMissing = true)
public final class HeadgateWebFluxDenialAutoConfiguration {
  HeadgateWebFluxDenialAutoConfiguration() {}

  @Bean
  @ConditionalOnMissingBean
  ReactiveLimitExceededHandler headgateReactiveLimitExceededHandler() {
    return new ReactiveLimitExceededHandler();
  }
}
