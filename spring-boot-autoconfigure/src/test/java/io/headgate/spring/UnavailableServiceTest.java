package io.headgate.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.client.HeadgateClient;
import io.headgate.http.RequestChecker;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.Subject;
import io.headgate.spring.actuate.HeadgateHealthAutoConfiguration;
import io.headgate.spring.app.RunningHeadgate;
import io.headgate.spring.service.HeadgateServiceAutoConfiguration;
import io.headgate.store.Source;
import io.headgate.store.StoreException;
import io.headgate.testkit.net.FreePorts;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** A service that is unavailable, misconfigured or not used. */
class UnavailableServiceTest {
  private static final Request ADA = Request.of(Subject.of("user:ada"));
  private static final String NOWHERE = "http://127.0.0.1:" + FreePorts.find(1).getFirst();

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  HeadgateAutoConfiguration.class,
                  HeadgateRedisAutoConfiguration.class,
                  HeadgateServiceAutoConfiguration.class,
                  HeadgateHealthAutoConfiguration.class));
  private final ApplicationContextRunner unavailable =
      runner.withPropertyValues("headgate.service.url=" + NOWHERE, "headgate.service.deadline=5s");

  @Test
  void requestsPassAndHealthIsDegraded() {
    unavailable.run(context -> {
      var checker = context.getBean(RequestChecker.class);
      assertThat(context.getBean(StoreStatus.class).isUnavailable()).isFalse();
      var result = checker.check(ADA);
      assertThat(result.isAllowed()).isTrue();
      assertThat(result.source()).isEqualTo(Source.FALLBACK);
      assertThat(checker.checkAsync(ADA).toCompletableFuture().join().isAllowed()).isTrue();
      var health = context.getBean(HealthIndicator.class).health();
      assertThat(health.getStatus().getCode()).isEqualTo("DEGRADED");
      assertThat(health.getDetails().get("problem").toString()).contains(NOWHERE);
    });
  }

  @Test
  void requestsFailIfTheFailureModeIsDeny() {
    unavailable
        .withPropertyValues("headgate.service.failure-mode=deny")
        .run(context -> {
          var checker = context.getBean(RequestChecker.class);
          assertThatThrownBy(() -> checker.check(ADA)).isInstanceOf(StoreException.class);
          assertThatThrownBy(() -> checker.checkAsync(ADA).toCompletableFuture().join())
              .isInstanceOf(CompletionException.class)
              .hasCauseInstanceOf(StoreException.class);
        });
  }

  @Test
  void wrongTokenDoesNotLetRequestsPass() {
    var rule = Rule.named("all").limit(FixedWindow.of(Rate.perHour(5))).build();
    try (var service = new RunningHeadgate(rule)) {
      runner
          .withPropertyValues(
              "headgate.service.url=" + service.url(),
              "headgate.service.token=another-token",
              "headgate.service.deadline=20s")
          .run(context ->
              assertThatThrownBy(() -> context.getBean(RequestChecker.class).check(ADA))
                  .isInstanceOf(StoreException.class)
                  .hasMessageContaining("401"));
    }
  }

  @Test
  void startFailsWithoutTheServiceIfItIsRequired() {
    unavailable
        .withPropertyValues("headgate.require-store=true")
        .run(context ->
            assertThat(context.getStartupFailure())
                .rootCause()
                .isInstanceOf(StoreStartException.class)
                .hasMessageContaining(NOWHERE));
  }

  @Test
  void rulesOfTheApplicationAreRefused() {
    unavailable
        .withBean(
            Rule.class, () -> Rule.named("own").limit(FixedWindow.of(Rate.perHour(5))).build())
        .run(context ->
            assertThat(context.getStartupFailure())
                .rootCause()
                .isInstanceOf(StoreStartException.class)
                .hasMessageContaining("rules of its own"));
  }

  @Test
  void invalidAddressFailsTheStart() {
    runner
        .withPropertyValues("headgate.service.url=headgate.internal")
        .run(context ->
            assertThat(context.getStartupFailure())
                .rootCause()
                .isInstanceOf(StoreStartException.class)
                .hasMessageContaining("must be like https://"));
  }

  @Test
  void missingClientFailsTheStart() {
    unavailable
        .withClassLoader(new FilteredClassLoader(HeadgateClient.class))
        .run(context ->
            assertThat(context.getStartupFailure())
                .rootCause()
                .isInstanceOf(StoreStartException.class)
                .hasMessageContaining("headgate-client is not on the class path"));
  }

  @Test
  void emptyAddressUsesNoService() {
    runner
        .withPropertyValues("headgate.service.url=")
        .run(context -> assertThat(context).doesNotHaveBean(HeadgateClient.class));
  }

  @Test
  void tokenIsNotPrinted() {
    unavailable
        .withPropertyValues("headgate.service.token=a-secret-token")
        .run(context ->
            assertThat(context.getBean(HeadgateProperties.class).toString())
                .doesNotContain("a-secret-token"));
  }
}
