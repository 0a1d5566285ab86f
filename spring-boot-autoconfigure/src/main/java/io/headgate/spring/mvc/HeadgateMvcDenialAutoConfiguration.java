package io.headgate.spring.mvc;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.web.servlet.HandlerExceptionResolver;

/**
 * Maps denied method calls to responses. Needs no limiter, so that tests of controllers have it,
 * too.
 */
@AutoConfiguration
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass(HandlerExceptionResolver.class)
@ConditionalOnBooleanProperty(name = "headgate.enabled", matchIfMissing = true)
public final class HeadgateMvcDenialAutoConfiguration {
  HeadgateMvcDenialAutoConfiguration() {}

  @Bean
  @ConditionalOnMissingBean
  LimitExceededResolver headgateLimitExceededResolver() {
    return new LimitExceededResolver();
  }
}
