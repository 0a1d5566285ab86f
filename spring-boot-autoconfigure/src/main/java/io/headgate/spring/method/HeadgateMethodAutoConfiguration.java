package io.headgate.spring.method;

import io.headgate.RateLimiter;
import io.headgate.http.CheckListener;
import io.headgate.spring.CheckListeners;
import io.headgate.spring.CheckerDecorator;
import io.headgate.spring.HeadgateAutoConfiguration;
import io.headgate.spring.HeadgateProperties;
import org.springframework.aop.Advisor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;

/** Advises methods with the annotation {@link io.headgate.spring.Limited}. */
@AutoConfiguration(after = HeadgateAutoConfiguration.class)
@ConditionalOnClass(Advisor.class)
@ConditionalOnBean(RateLimiter.class)
@ConditionalOnBooleanProperty(
    name = {"headgate.enabled", "headgate.methods.enabled"},
    matchIfMissing = true)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
public final class HeadgateMethodAutoConfiguration {
  HeadgateMethodAutoConfiguration() {}

  /**
   * The advisor depends on no other bean at its creation: it would be created before they can be
   * proxied themselves.
   */
  @Bean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  @ConditionalOnMissingBean(name = "headgateLimitedAdvisor")
  static DefaultPointcutAdvisor headgateLimitedAdvisor(
      ObjectProvider<RuleCheckers> checkers, BeanFactory beans, Environment environment) {
    var advisor =
        new DefaultPointcutAdvisor(
            new LimitedPointcut(), new LimitedInterceptor(checkers::getObject, beans));
    advisor.setOrder(environment.getProperty("headgate.methods.order", Integer.class, -100));
    return advisor;
  }

  @Bean
  @ConditionalOnMissingBean
  RuleCheckers headgateRuleCheckers(
      RateLimiter limiter,
      HeadgateProperties properties,
      ObjectProvider<CheckListener> listener,
      ObjectProvider<CheckerDecorator> decorators) {
    return new RuleCheckers(
        limiter,
        properties.web().maxDelay(),
        CheckListeners.of(listener),
        CheckerDecorator.of(decorators));
  }
}
