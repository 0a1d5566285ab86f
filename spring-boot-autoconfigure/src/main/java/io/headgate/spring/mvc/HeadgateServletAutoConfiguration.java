package io.headgate.spring.mvc;

import io.headgate.RateLimiter;
import io.headgate.http.RequestChecker;
import io.headgate.servlet.DefaultSubjectResolver;
import io.headgate.servlet.DenialHandler;
import io.headgate.servlet.HeadgateFilter;
import io.headgate.servlet.SubjectResolver;
import io.headgate.spring.HeadgateAutoConfiguration;
import io.headgate.spring.HeadgateProperties;
import io.headgate.spring.web.ProxySettings;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingFilterBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.servlet.mvc.method.RequestMappingInfoHandlerMapping;

/** Registers the servlet filter. */
@AutoConfiguration(after = HeadgateAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass({HeadgateFilter.class, FilterRegistrationBean.class})
@ConditionalOnBean(RateLimiter.class)
@ConditionalOnBooleanProperty(name = "headgate.enabled", matchIfMissing = true)
public final class HeadgateServletAutoConfiguration {
  HeadgateServletAutoConfiguration() {}

  /** Registers the filter. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnBooleanProperty(name = "headgate.web.enabled", matchIfMissing = true)
  static class FilterConfiguration {
    @Bean
    @ConditionalOnMissingBean
    SubjectResolver headgateSubjectResolver(
        HeadgateProperties properties, ObjectProvider<RouteAttribute> route) {
      var web = properties.web();
      var subject = DefaultSubjectResolver.builder().trustedProxies(ProxySettings.of(web));
      web.headers().forEach(subject::header);
      if (web.route()) {
        route.ifAvailable(attribute -> subject.attribute("route", attribute::of));
      }
      return subject.build();
    }

    @Bean
    @ConditionalOnMissingFilterBean
    FilterRegistrationBean<HeadgateFilter> headgateFilter(
        RequestChecker checker,
        SubjectResolver subject,
        HeadgateProperties properties,
        ObjectProvider<DenialHandler> denials) {
      var web = properties.web();
      var filter =
          HeadgateFilter.builder(checker)
              .subject(subject)
              .onDenied(denials.getIfAvailable(DenialHandler::problem))
              .headersOnAllowed(web.headersOnAllowed())
              .build();
      var registration = new FilterRegistrationBean<>(filter);
      registration.setUrlPatterns(web.urlPatterns());
      registration.setOrder(web.order());
      registration.setAsyncSupported(true);
      return registration;
    }
  }

  /** Adds the part that needs Spring MVC. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(RequestMappingInfoHandlerMapping.class)
  static class MvcConfiguration {
    @Bean
    @ConditionalOnMissingBean
    RouteAttribute headgateRouteAttribute(
        ObjectProvider<RequestMappingInfoHandlerMapping> mappings) {
      return new RouteAttribute(mappings);
    }
  }
}
