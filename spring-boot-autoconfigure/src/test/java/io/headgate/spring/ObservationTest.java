package io.headgate.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.http.RequestChecker;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.Subject;
import io.headgate.spring.observation.CheckObservationContext;
import io.headgate.spring.observation.CheckObservationConvention;
import io.headgate.spring.observation.DefaultCheckObservationConvention;
import io.headgate.spring.observation.HeadgateObservationAutoConfiguration;
import io.headgate.spring.service.HeadgateServiceAutoConfiguration;
import io.headgate.spring.web.ContextualChecker;
import io.headgate.store.StoreException;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Observations of checks, without a web server. */
class ObservationTest {
  private static final Request REQUEST = Request.of(Subject.of("someone"));

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  HeadgateAutoConfiguration.class,
                  HeadgateObservationAutoConfiguration.class,
                  HeadgateServiceAutoConfiguration.class));

  private ApplicationContextRunner withRule() {
    return runner.withBean(
        Rule.class,
        () -> Rule.named("one").match("key", "*").limit(TokenBucket.of(Rate.perSecond(1))).build());
  }

  @Test
  void checkerIsNotWrappedWithoutARegistry() {
    withRule()
        .run(context ->
            assertThat(context.getBean(RequestChecker.class))
                .isNotInstanceOf(ContextualChecker.class));
  }

  @Test
  void registryWithoutHandlersCallsNoConvention() {
    withRule()
        .withBean(ObservationRegistry.class, ObservationRegistry::create)
        .withBean(CheckObservationConvention.class, Unusable::new)
        .run(context -> {
          var checker = context.getBean(RequestChecker.class);
          assertThat(checker).isInstanceOf(ContextualChecker.class);
          assertThat(checker.check(REQUEST).isAllowed()).isTrue();
          assertThat(checker.checkAsync(REQUEST).toCompletableFuture().join().isAllowed())
              .isFalse();
        });
  }

  private static final class Unusable implements CheckObservationConvention {
    @Override
    public String getName() {
      throw new IllegalStateException("not to be called");
    }
  }

  @Test
  void conventionOfTheApplicationReplacesTheDefault() {
    withRule()
        .withBean(TestObservationRegistry.class, TestObservationRegistry::create)
        .withBean(CheckObservationConvention.class, WithCost::new)
        .run(context -> {
          context.getBean(RequestChecker.class).check(Request.of(REQUEST.subject(), 7));
          TestObservationRegistryAssert.assertThat(context.getBean(TestObservationRegistry.class))
              .hasObservationWithNameEqualTo("shop.limit")
              .that()
              .hasBeenStarted()
              .hasBeenStopped()
              .hasLowCardinalityKeyValue("headgate.rule", "one")
              .hasLowCardinalityKeyValue("headgate.outcome", "impossible")
              .hasHighCardinalityKeyValue("cost", "7");
        });
  }

  private static final class WithCost extends DefaultCheckObservationConvention {
    @Override
    public String getName() {
      return "shop.limit";
    }

    @Override
    public KeyValues getHighCardinalityKeyValues(CheckObservationContext context) {
      return KeyValues.of(KeyValue.of("cost", Long.toString(context.request().cost())));
    }
  }

  @Test
  @SuppressWarnings("unchecked") // the assertion has a raw type
  void unavailableServiceIsAnError() {
    runner
        .withBean(TestObservationRegistry.class, TestObservationRegistry::create)
        .withPropertyValues(
            "headgate.service.url=http://127.0.0.1:1", "headgate.service.failure-mode=deny")
        .run(context -> {
          var checker = context.getBean(RequestChecker.class);
          assertThatThrownBy(() -> checker.check(REQUEST)).isInstanceOf(StoreException.class);
          assertThatThrownBy(() -> checker.checkAsync(REQUEST).toCompletableFuture().join())
              .isInstanceOf(CompletionException.class);
          TestObservationRegistryAssert.assertThat(context.getBean(TestObservationRegistry.class))
              .hasNumberOfObservationsEqualTo(2)
              .forAllObservationsWithNameEqualTo(
                  "headgate.check",
                  observation ->
                      observation
                          .hasLowCardinalityKeyValue("headgate.rule", "(none)")
                          .hasLowCardinalityKeyValue("headgate.outcome", "error")
                          .hasLowCardinalityKeyValue("headgate.source", "none")
                          .hasError()
                          .satisfies(observed ->
                              assertThat(((CheckObservationContext) observed).getError())
                                  .isInstanceOf(StoreException.class)));
        });
  }
}
