package io.headgate.spring.service;

import io.headgate.client.ClientOptions;
import io.headgate.client.FailureMode;
import io.headgate.client.HeadgateClient;
import io.headgate.http.CheckListener;
import io.headgate.http.RequestChecker;
import io.headgate.spring.CheckListeners;
import io.headgate.spring.CheckerDecorator;
import io.headgate.spring.ConditionalOnService;
import io.headgate.spring.HeadgateProperties;
import io.headgate.spring.StoreStartException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** Lets a Headgate service decide the requests of the application, if its address is set. */
@AutoConfiguration
@ConditionalOnClass(HeadgateClient.class)
@ConditionalOnService
@ConditionalOnBooleanProperty(name = "headgate.enabled", matchIfMissing = true)
@EnableConfigurationProperties(HeadgateProperties.class)
public final class HeadgateServiceAutoConfiguration {
  HeadgateServiceAutoConfiguration() {}

  @Bean
  @ConditionalOnMissingBean
  HeadgateClient headgateClient(HeadgateProperties properties) {
    var service = properties.service();
    try {
      var options =
          ClientOptions.builder(String.valueOf(service.url()))
              .deadline(service.deadline())
              .failureMode(FailureMode.THROW) // the checker applies the mode
              .localLeases(service.localLeases());
      if (service.token() != null) options.token(service.token());
      return HeadgateClient.connect(options.build());
    } catch (IllegalArgumentException e) {
      throw new StoreStartException(
          "The properties headgate.service are not valid: " + e.getMessage(),
          "Set headgate.service.url to an address such as https://headgate.internal:8080.");
    }
  }

  @Bean
  @ConditionalOnMissingBean
  ServiceStatus headgateServiceStatus(HeadgateProperties properties) {
    return new ServiceStatus(String.valueOf(properties.service().url()));
  }

  @Bean
  @ConditionalOnMissingBean
  RequestChecker headgateServiceChecker(
      HeadgateClient client,
      ServiceStatus status,
      HeadgateProperties properties,
      ObjectProvider<CheckListener> listener,
      ObjectProvider<CheckerDecorator> decorators) {
    var checker =
        new ServiceChecker(
            client,
            properties.service().failureMode(),
            properties.web().maxDelay(),
            CheckListeners.of(listener),
            status);
    if (properties.requireStore()) checker.requireAvailable();
    return CheckerDecorator.of(decorators).decorate(checker);
  }
}
