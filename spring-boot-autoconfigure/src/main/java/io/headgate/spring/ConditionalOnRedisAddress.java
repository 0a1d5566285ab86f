package io.headgate.spring;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Matches if {@code headgate.store} is an address of Redis. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@Conditional(ConditionalOnRedisAddress.OnRedisAddress.class)
@interface ConditionalOnRedisAddress {
  /** The condition. */
  final class OnRedisAddress extends SpringBootCondition {
    @Override
    public ConditionOutcome getMatchOutcome(
        ConditionContext context, AnnotatedTypeMetadata metadata) {
      var message = ConditionMessage.forCondition(ConditionalOnRedisAddress.class);
      var store = context.getEnvironment().getProperty("headgate.store", "").strip();
      return store.startsWith("redis")
          ? ConditionOutcome.match(message.because("headgate.store is an address of Redis"))
          : ConditionOutcome.noMatch(message.because("headgate.store is no address of Redis"));
    }
  }
}
