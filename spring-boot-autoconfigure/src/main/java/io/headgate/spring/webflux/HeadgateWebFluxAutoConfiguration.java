package io.headgate.spring.webflux;

import io.headgate.RateLimiter;
import io.headgate.http.RequestChecker;
import io.headgate.spring.HeadgateAutoConfiguration;
import io.headgate.spring.HeadgateProperties;
import io.headgate.spring.web.RoutePatterns;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.web.reactive.DispatcherHandler;
import org.springframework.web.reactive.result.method.RequestMappingInfoHandlerMapping;

/** Registers the filter for WebFlux. */
@AutoConfiguration(after = HeadgateAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnClass(DispatcherHandler.class)
@ConditionalOnBean(RateLimiter.class)
@ConditionalOnBooleanProperty(name = "headgate.enabled", matchIfMissing = true)
public final class HeadgateWebFluxAutoConfiguration {
  HeadgateWebFluxAutoConfiguration() {}

  @Bean
  @ConditionalOnMissingBean
  @ConditionalOnBooleanProperty(name = "headgate.web.enabled", matchIfMissing = true)
  ReactiveSubjectResolver headgateReactiveSubjectResolver(
      HeadgateProperties properties,
      ObjectProvider<RequestMappingInfoHandlerMapping> mappings,
      Environment environment) {
    var web = properties.web();
    var routes =
        new RoutePatterns(() ->
            mappings
                .orderedStream()
                .flatMap(mapping -> mapping.getHandlerMethods().keySet().stream())
                .flatMap(info -> info.getPatternsCondition().getPatterns().stream())
                .toList());
    String basePath = environment.getProperty("spring.webflux.base-path", "").strip();
    return new DefaultReactiveSubjectResolver(web, web.route() ? routes : null, clean(basePath));
  }

  /** Returns a base path as Spring Boot uses it. */
  private static String clean(String basePath) {
    String path = basePath.endsWith("/") ? basePath.substring(0, basePath.length() - 1) : basePath;
    return path.isEmpty() || path.startsWith("/") ? path : "/" + path;
  }

  @Bean
  @ConditionalOnMissingBean
  @ConditionalOnBooleanProperty(name = "headgate.web.enabled", matchIfMissing = true)
  HeadgateWebFilter headgateWebFilter(
      RequestChecker checker, ReactiveSubjectResolver resolver, HeadgateProperties properties) {
    var web = properties.web();
    return new HeadgateWebFilter(checker, resolver, web.headersOnAllowed(), web.order());
  }
}
