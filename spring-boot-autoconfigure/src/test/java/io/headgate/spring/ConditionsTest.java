package io.headgate.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.RateLimiter;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.redis.RedisStore;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.servlet.HeadgateFilter;
import io.headgate.servlet.SubjectResolver;
import io.headgate.spring.actuate.HeadgateEndpointAutoConfiguration;
import io.headgate.spring.actuate.HeadgateHealthAutoConfiguration;
import io.headgate.spring.actuate.HeadgateMetricsAutoConfiguration;
import io.headgate.spring.method.HeadgateMethodAutoConfiguration;
import io.headgate.spring.mvc.HeadgateServletAutoConfiguration;
import io.headgate.spring.webflux.HeadgateWebFilter;
import io.headgate.spring.webflux.HeadgateWebFluxAutoConfiguration;
import io.headgate.store.MemoryStore;
import io.headgate.store.Store;
import io.headgate.testkit.Eventually;
import io.headgate.testkit.net.FreePorts;
import io.headgate.testkit.redis.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

class ConditionsTest {
  private static final AutoConfigurations ALL =
      AutoConfigurations.of(
          HeadgateAutoConfiguration.class,
          HeadgateRedisAutoConfiguration.class,
          HeadgateMethodAutoConfiguration.class,
          HeadgateMetricsAutoConfiguration.class,
          HeadgateEndpointAutoConfiguration.class,
          HeadgateHealthAutoConfiguration.class,
          HeadgateServletAutoConfiguration.class,
          HeadgateWebFluxAutoConfiguration.class);

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner().withConfiguration(ALL);

  private static Rule rule(String id) {
    return Rule.named(id).match("key", "*").limit(TokenBucket.of(Rate.perSecond(1))).build();
  }

  @Test
  void limiterInMemoryIsTheDefault() {
    runner.run(context -> {
      assertThat(context).hasSingleBean(RateLimiter.class).hasSingleBean(MemoryStore.class);
      assertThat(context.getBean(RateLimiter.class).store()).isSameAs(context.getBean(Store.class));
      assertThat(context)
          .doesNotHaveBean("headgateFilter")
          .doesNotHaveBean(HeadgateWebFilter.class);
    });
  }

  @Test
  void noBeanIsCreatedWhenSwitchedOff() {
    new WebApplicationContextRunner()
        .withConfiguration(ALL)
        .withPropertyValues("headgate.enabled=false", "headgate.store=redis://127.0.0.1:1")
        .run(context ->
            assertThat(Arrays.stream(context.getBeanDefinitionNames()))
                .noneMatch(name -> name.toLowerCase(Locale.ROOT).contains("headgate")));
  }

  @Test
  void servletApplicationGetsAFilter() {
    new WebApplicationContextRunner()
        .withConfiguration(ALL)
        .withPropertyValues("headgate.web.url-patterns=/api/*", "headgate.web.order=7")
        .run(context -> {
          FilterRegistrationBean<?> registration =
              context.getBean("headgateFilter", FilterRegistrationBean.class);
          assertThat(registration.getFilter()).isInstanceOf(HeadgateFilter.class);
          assertThat(registration.getUrlPatterns()).containsExactly("/api/*");
          assertThat(registration.getOrder()).isEqualTo(7);
          assertThat(context).hasSingleBean(SubjectResolver.class);
          assertThat(context).doesNotHaveBean(HeadgateWebFilter.class);
        });
  }

  @Test
  void reactiveApplicationGetsAWebFilter() {
    new ReactiveWebApplicationContextRunner()
        .withConfiguration(ALL)
        .run(context -> {
          assertThat(context).hasSingleBean(HeadgateWebFilter.class);
          assertThat(context).doesNotHaveBean("headgateFilter");
        });
  }

  @Test
  void filtersCanBeSwitchedOffAlone() {
    new WebApplicationContextRunner()
        .withConfiguration(ALL)
        .withPropertyValues("headgate.web.enabled=false")
        .run(context -> {
          assertThat(context).doesNotHaveBean("headgateFilter").hasSingleBean(RateLimiter.class);
        });
  }

  @Test
  void applicationStartsWithoutOptionalModules() {
    new WebApplicationContextRunner()
        .withConfiguration(ALL)
        .withClassLoader(
            new FilteredClassLoader(
                "io.headgate.redis",
                "io.headgate.servlet",
                "io.micrometer",
                "org.springframework.boot.health",
                "org.springframework.boot.actuate",
                "org.springframework.boot.data",
                "reactor"))
        .run(context -> {
          assertThat(context).hasNotFailed().hasSingleBean(RateLimiter.class);
          assertThat(context).doesNotHaveBean("headgateFilter");
        });
  }

  @Configuration(proxyBeanMethods = false)
  static class OwnBeans {
    @Bean
    Store ownStore() {
      return MemoryStore.create();
    }

    @Bean
    Rule first() {
      return rule("first");
    }

    @Bean
    RuleSet others() {
      return RuleSet.of(rule("second"), rule("third"));
    }

    @Bean
    SubjectResolver resolver() {
      return request -> null;
    }
  }

  @Test
  void beansOfTheApplicationReplaceTheDefaults() {
    new WebApplicationContextRunner()
        .withConfiguration(ALL)
        .withUserConfiguration(OwnBeans.class)
        .withPropertyValues(
            "headgate.store=redis://127.0.0.1:1",
            "headgate.rules[0].id=zeroth",
            "headgate.rules[0].match.key=*",
            "headgate.rules[0].limit.algorithm=concurrency",
            "headgate.rules[0].limit.max=5")
        .run(context -> {
          assertThat(context).hasSingleBean(Store.class).hasSingleBean(SubjectResolver.class);
          var limiter = context.getBean(RateLimiter.class);
          assertThat(limiter.store()).isSameAs(context.getBean("ownStore"));
          assertThat(limiter.rules().rules())
              .extracting(Rule::id)
              .containsExactly("zeroth", "first", "second", "third");
        });
  }

  @Test
  void filterOfTheApplicationReplacesTheDefault() {
    new WebApplicationContextRunner()
        .withConfiguration(ALL)
        .withBean(HeadgateFilter.class, () -> HeadgateFilter.of(RateLimiter.inMemory(rule("own"))))
        .run(context ->
            assertThat(context)
                .hasNotFailed()
                .hasSingleBean(HeadgateFilter.class)
                .doesNotHaveBean(FilterRegistrationBean.class));
  }

  @Test
  void rulesInPropertiesHaveTheFieldsOfARuleFile() {
    runner
        .withPropertyValues(
            "headgate.rules[0].id=contract",
            "headgate.rules[0].match.tenant=*",
            "headgate.rules[0].per[0]=tenant",
            "headgate.rules[0].per[1]=user",
            "headgate.rules[0].on-store-failure=deny",
            "headgate.rules[0].combine=all",
            "headgate.rules[0].limits[0].name=calls",
            "headgate.rules[0].limits[0].algorithm=fixed-window",
            "headgate.rules[0].limits[0].rate=2/1h",
            "headgate.rules[0].limits[1].name=slots",
            "headgate.rules[0].limits[1].algorithm=concurrency",
            "headgate.rules[0].limits[1].max=7")
        .run(context -> {
          var limiter = context.getBean(RateLimiter.class);
          var rule = limiter.rules().rules().getFirst();
          assertThat(rule.per()).hasValue(java.util.List.of("tenant", "user"));
          assertThat(rule.limits()).hasSize(2);
          var subject = Subject.of(Map.of("tenant", "a", "user", "1"));
          assertThat(limiter.check(subject).isAllowed()).isTrue();
          assertThat(limiter.check(subject).isAllowed()).isTrue();
          assertThat(limiter.check(subject).isAllowed()).isFalse();
        });
  }

  private static FailureAnalysis analysis(Throwable failure) {
    var rules = new InvalidRulesFailureAnalyzer().analyze(failure);
    return rules == null ? new StoreStartFailureAnalyzer().analyze(failure) : rules;
  }

  @Test
  void invalidPropertyIsDescribedByItsNameAndRemedy() {
    runner
        .withPropertyValues(
            "headgate.rules[0].id=api", "headgate.rules[0].limit.algorithm=token-buket")
        .run(context -> {
          var analysis = analysis(context.getStartupFailure());
          assertThat(analysis.getDescription())
              .startsWith("The rules of Headgate in the properties headgate.rules are not valid:")
              .contains("headgate.rules[0].limit.algorithm: ", "token-buket", "token-bucket");
          assertThat(analysis.getAction()).contains("Correct the properties");
        });
  }

  @Test
  void invalidFileIsDescribedByLineFieldAndRemedy(@TempDir Path folder) throws IOException {
    var file = folder.resolve("limits.yaml");
    Files.writeString(
        file, "rules:\n  - id: api\n    limit: { algorithm: token-bucket, rat: 1/1s }\n");
    runner
        .withPropertyValues("headgate.rules-file=file:" + file)
        .run(context -> {
          var analysis = analysis(context.getStartupFailure());
          assertThat(analysis.getDescription())
              .contains("limits.yaml", ":3:", "rules[0].limit", "rat", "rate");
          assertThat(analysis.getAction()).isEqualTo("Correct the file and start again.");
        });
  }

  @Test
  void missingFileThatWasNamedIsAnError() {
    runner
        .withPropertyValues("headgate.rules-file=classpath:missing.yaml")
        .run(context ->
            assertThat(analysis(context.getStartupFailure()).getDescription())
                .contains("class path resource [missing.yaml]", "can't be read"));
  }

  @Test
  void ruleThatIsDefinedTwiceIsAnError() {
    runner
        .withUserConfiguration(OwnBeans.class)
        .withPropertyValues(
            "headgate.rules[0].id=first",
            "headgate.rules[0].limit.algorithm=fixed-window",
            "headgate.rules[0].limit.rate=1/1s")
        .run(context ->
            assertThat(analysis(context.getStartupFailure()).getDescription())
                .contains("two rules have the id 'first'"));
  }

  @ParameterizedTest
  @CsvSource({
    "redis://:secret@:99999, not configured correctly",
    "redsi://localhost, names no known store",
    "spring, does not use Spring Data Redis",
  })
  void invalidStoreIsDescribedWithoutSecrets(String store, String problem) {
    runner
        .withPropertyValues("headgate.store=" + store)
        .run(context -> {
          var analysis = analysis(context.getStartupFailure());
          assertThat(analysis.getDescription()).contains(problem).doesNotContain("secret");
          assertThat(analysis.getAction()).contains("memory");
        });
  }

  @Test
  void unavailableStoreIsAnErrorIfItIsRequired() {
    int port = FreePorts.find(1).getFirst();
    runner
        .withPropertyValues(
            "headgate.store=redis://:secret@127.0.0.1:" + port, "headgate.require-store=true")
        .run(context ->
            assertThat(analysis(context.getStartupFailure()).getDescription())
                .contains("127.0.0.1:" + port, "is unavailable")
                .doesNotContain("secret"));
  }

  @Test
  void unavailableStoreIsNoErrorByDefault() {
    int port = FreePorts.find(1).getFirst();
    runner
        .withPropertyValues("headgate.store=redis://127.0.0.1:" + port)
        .run(context -> assertThat(context).hasNotFailed().hasSingleBean(RedisStore.class));
  }

  @Test
  void compactLayoutStoresTheLimitsOfARuleInOneKey(@TempDir Path folder) throws IOException {
    var file = folder.resolve("rules.yaml");
    Files.writeString(
        file,
        """
        rules:
          - id: contract
            match: { key: "*" }
            limits:
              - { name: calls, algorithm: fixed-window, rate: 10/1d }
              - { name: burst, algorithm: token-bucket, rate: 10/1h }
        """);
    try (var redis = RedisServer.start()) {
      runner
          .withPropertyValues(
              "headgate.store=" + redis.uri(),
              "headgate.redis.layout=compact",
              "headgate.redis.deadline=5s",
              "headgate.rules-file=" + file.toUri())
          .run(context -> {
            context.getBean(RateLimiter.class).check(Subject.of("a"));
            assertThat(redis.call("KEYS", "headgate:{a}*").items())
                .asString()
                .isEqualTo("[headgate:{a}contract|]");
          });
    }
  }

  @Test
  void changedFileIsReloadedAndAnInvalidOneIsNot(@TempDir Path folder) throws IOException {
    var file = folder.resolve("rules.yaml");
    Files.writeString(file, rules("one"));
    runner
        .withPropertyValues(
            "headgate.rules-file=" + file.toUri(), "headgate.rules-reload-interval=10ms")
        .run(context -> {
          var limiter = context.getBean(RateLimiter.class);
          var revision = context.getBean(RevisionNumber.class);
          assertThat(revision.number()).isEqualTo(1);
          Files.writeString(file, rules("second"));
          Eventually.holds(
              "the rules are reloaded",
              Duration.ofSeconds(20),
              () -> limiter.rules().rules().getFirst().id().equals("second"));
          Files.writeString(file, "rules: [ { id: third } ]");
          Files.writeString(file, rules("fourth") + "# longer");
          Eventually.holds(
              "the rules are reloaded",
              Duration.ofSeconds(20),
              () -> limiter.rules().rules().getFirst().id().equals("fourth"));
          assertThat(revision.number()).isGreaterThanOrEqualTo(3);
        });
  }

  private static String rules(String id) {
    return "rules:\n  - { id: %s, match: { key: '*' }, limit: { algorithm: fixed-window, rate: 1/1h } }\n"
        .formatted(id);
  }
}
