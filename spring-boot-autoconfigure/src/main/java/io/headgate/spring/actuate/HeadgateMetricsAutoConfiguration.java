package io.headgate.spring.actuate;

import io.headgate.RateLimiter;
import io.headgate.redis.RedisStore;
import io.headgate.spring.HeadgateAutoConfiguration;
import io.headgate.spring.RevisionNumber;
import io.headgate.spring.StoreStatus;
import io.headgate.store.MemoryStore;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.config.MeterFilter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Publishes metrics to Micrometer, under the names of the service. */
@AutoConfiguration(
    afterName =
        "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
    before = HeadgateAutoConfiguration.class)
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean(MeterRegistry.class)
@ConditionalOnBooleanProperty(name = "headgate.enabled", matchIfMissing = true)
public final class HeadgateMetricsAutoConfiguration {
  HeadgateMetricsAutoConfiguration() {}

  @Bean
  @ConditionalOnMissingBean
  HeadgateMetrics headgateMetrics(MeterRegistry registry) {
    return new HeadgateMetrics(registry);
  }

  @Bean
  MeterBinder headgateGauges(RateLimiter limiter, StoreStatus store, RevisionNumber revision) {
    return registry -> {
      Gauge.builder("headgate.breaker.state", store, status -> status.isUnavailable() ? 1 : 0)
          .description("1 while the circuit breaker is open and failure policies decide, else 0.")
          .register(registry);
      Gauge.builder("headgate.rules", limiter, all -> all.rules().rules().size())
          .description("Rules in force.")
          .register(registry);
      Gauge.builder("headgate.rules.revision", revision, RevisionNumber::number)
          .description("Revision of the rules in force on this instance.")
          .register(registry);
      if (limiter.store() instanceof MemoryStore memory) {
        Gauge.builder("headgate.tracked.keys", memory, MemoryStore::trackedKeys)
            .description("Counters in the memory store.")
            .register(registry);
      }
    };
  }

  /**
   * Leaves out the meters that Spring Boot makes of observations of checks. They would have the
   * name of the latency metric, with other labels, and repeat it.
   */
  @Bean
  static MeterFilter headgateObservationMeters() {
    return MeterFilter.deny(id ->
        id.getName().equals("headgate.check.active")
            || (id.getName().equals("headgate.check") && id.getTag("error") != null));
  }

  /** Adds the metrics of a store in Redis. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(RedisStore.class)
  static class RedisConfiguration {
    @Bean
    @ConditionalOnMissingBean
    StoreMeters headgateStoreMeters(MeterRegistry registry) {
      return new StoreMeters(registry);
    }
  }
}
