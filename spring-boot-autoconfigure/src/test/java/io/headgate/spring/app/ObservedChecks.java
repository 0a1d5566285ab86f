package io.headgate.spring.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.spring.observation.CheckObservationContext;
import io.micrometer.common.KeyValue;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;

/** Records the observations of an application, and asserts that they have those of checks. */
@TestConfiguration(proxyBeanMethods = false)
public class ObservedChecks {
  @Bean
  TestObservationRegistry observations() {
    return TestObservationRegistry.create();
  }

  /**
   * Asserts that a check of a subject with this attribute was observed, as part of the observation
   * of its HTTP request.
   */
  @SuppressWarnings("unchecked") // the assertion has a raw type
  public static void assertObserved(
      TestObservationRegistry registry,
      String attribute,
      String value,
      String rule,
      String outcome) {
    TestObservationRegistryAssert.assertThat(registry)
        .hasAnObservation(observation -> {
          observation.satisfies(context -> isCheckOf(context, attribute, value));
          observation
              .hasLowCardinalityKeyValue("headgate.rule", rule)
              .hasLowCardinalityKeyValue("headgate.outcome", outcome)
              .hasLowCardinalityKeyValue("headgate.source", "store");
        });
  }

  private static void isCheckOf(Object observed, String attribute, String value) {
    assertThat(observed).isInstanceOf(CheckObservationContext.class);
    var context = (CheckObservationContext) observed;
    assertThat(context.request().subject().attributes()).containsEntry(attribute, value);
    assertThat(context.getName()).isEqualTo("headgate.check");
    assertThat(context.getError()).isNull();
    assertThat(context.getParentObservation())
        .extracting(parent -> parent.getContextView().getName())
        .isEqualTo("http.server.requests");
    assertThat(context.getAllKeyValues())
        .extracting(KeyValue::getKey)
        .containsExactlyInAnyOrder("headgate.rule", "headgate.outcome", "headgate.source");
  }
}
