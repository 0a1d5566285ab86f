package io.headgate.spring;

import io.headgate.redis.KeyLayout;
import io.headgate.redis.RedisOptions;
import io.headgate.redis.RedisStore;
import io.headgate.redis.RoundTripListener;
import io.headgate.store.OutageListener;
import io.headgate.store.Store;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Supplier;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Creates a store in Redis: at the address of {@code headgate.store} or, without that property, at
 * the one of Spring Data Redis.
 */
@AutoConfiguration(
    afterName = "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration")
@ConditionalOnClass(RedisStore.class)
@ConditionalOnService(false)
@ConditionalOnBooleanProperty(name = "headgate.enabled", matchIfMissing = true)
@EnableConfigurationProperties(HeadgateProperties.class)
public final class HeadgateRedisAutoConfiguration {
  HeadgateRedisAutoConfiguration() {}

  @Bean
  @ConditionalOnMissingBean
  StoreStatus headgateRedisStoreStatus(Store store) {
    return store instanceof RedisStore redis
        ? new RedisStoreStatus(redis)
        : new LocalStoreStatus(store);
  }

  /** Uses the address that is set. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnMissingBean(Store.class)
  @ConditionalOnRedisAddress
  static class AddressConfiguration {
    /** Closed by the limiter. */
    @Bean(destroyMethod = "")
    RedisStore headgateRedisStore(
        HeadgateProperties properties,
        ObjectProvider<OutageListener> outages,
        ObjectProvider<RoundTripListener> roundTrips) {
      return connect(properties, () -> properties.chosenStore().orElseThrow(), outages, roundTrips);
    }
  }

  /** Uses the address of Spring Data Redis. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(DataRedisConnectionDetails.class)
  @ConditionalOnBean(DataRedisConnectionDetails.class)
  @ConditionalOnMissingBean(Store.class)
  @ConditionalOnProperty(name = "headgate.store", havingValue = "spring", matchIfMissing = true)
  static class SpringDataConfiguration {
    /** Closed by the limiter. */
    @Bean(destroyMethod = "")
    RedisStore headgateRedisStore(
        HeadgateProperties properties,
        DataRedisConnectionDetails details,
        ObjectProvider<OutageListener> outages,
        ObjectProvider<RoundTripListener> roundTrips) {
      return connect(properties, () -> SpringRedisAddress.of(details), outages, roundTrips);
    }
  }

  private static RedisStore connect(
      HeadgateProperties properties,
      Supplier<String> address,
      ObjectProvider<OutageListener> outages,
      ObjectProvider<RoundTripListener> roundTrips) {
    var store = RedisStore.connect(options(properties, address, outages, roundTrips));
    if (properties.requireStore()) StoreProbe.requireAvailable(store);
    return store;
  }

  private static RedisOptions options(
      HeadgateProperties properties,
      Supplier<String> address,
      ObjectProvider<OutageListener> outages,
      ObjectProvider<RoundTripListener> roundTrips) {
    try {
      var redis = properties.redis();
      var options =
          RedisOptions.builder(address.get())
              .prefix(redis.prefix())
              .layout(
                  switch (redis.layout()) {
                    case SEPARATE -> KeyLayout.SEPARATE;
                    case COMPACT -> KeyLayout.COMPACT;
                  })
              .deadline(redis.deadline())
              .outageListener(new OutageListeners(outages.orderedStream().toList()))
              .roundTripListener(roundTrips.getIfAvailable(() -> RoundTripListener.NONE));
      Optional.ofNullable(redis.ca()).map(Path::of).ifPresent(options::ca);
      return options.build();
    } catch (IllegalArgumentException e) {
      throw new StoreStartException(
          "The store of Headgate is not configured correctly: " + e.getMessage(),
          "Correct headgate.store and headgate.redis.*, or set headgate.store to memory.");
    }
  }
}
