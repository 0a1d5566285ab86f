package io.headgate.spring.observation;

import io.headgate.spring.CheckerDecorator;
import io.headgate.spring.HeadgateAutoConfiguration;
import io.micrometer.observation.ObservationRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Observes the checks of filters and annotated methods. */
@AutoConfiguration(
    afterName =
        "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration",
    before = HeadgateAutoConfiguration.class)
@ConditionalOnClass(ObservationRegistry.class)
@ConditionalOnBean(ObservationRegistry.class)
@ConditionalOnBooleanProperty(name = "headgate.enabled", matchIfMissing = true)
public final class HeadgateObservationAutoConfiguration {
  HeadgateObservationAutoConfiguration() {}

  @Bean
  @ConditionalOnMissingBean(name = "headgateObservations")
  CheckerDecorator headgateObservations(
      ObservationRegistry registry, ObjectProvider<CheckObservationConvention> convention) {
    var own = convention.getIfAvailable();
    return checker -> new ObservedChecker(checker, registry, own);
  }
}
