package io.headgate.spring.observation;

import io.headgate.CheckResult;
import io.headgate.spring.OutcomeLabel;
import io.headgate.spring.observation.CheckObservationDocumentation.CheckKeyNames;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import java.util.Locale;

/**
 * Names observations {@value CheckObservationDocumentation#NAME}, with the rule, the outcome and
 * the source of the decision. Never has the subject. Thread-safe, and open for an application that
 * adds key values.
 */
public class DefaultCheckObservationConvention implements CheckObservationConvention {
  private static final String NO_RULE = "(none)"; // as in metrics; not a valid rule id

  private static final KeyValues FAILED =
      KeyValues.of(
          CheckKeyNames.RULE.withValue(NO_RULE),
          CheckKeyNames.OUTCOME.withValue("error"),
          CheckKeyNames.SOURCE.withValue(KeyValue.NONE_VALUE));

  /** Creates the convention. */
  public DefaultCheckObservationConvention() {}

  @Override
  public String getName() {
    return CheckObservationDocumentation.NAME;
  }

  @Override
  public String getContextualName(CheckObservationContext context) {
    return CheckObservationDocumentation.NAME;
  }

  @Override
  public KeyValues getLowCardinalityKeyValues(CheckObservationContext context) {
    var result = context.result();
    return result == null ? FAILED : of(result);
  }

  private static KeyValues of(CheckResult result) {
    var rule = result.rule();
    return KeyValues.of(
        CheckKeyNames.RULE.withValue(rule.isPresent() ? rule.get().id() : NO_RULE),
        CheckKeyNames.OUTCOME.withValue(OutcomeLabel.of(result).text()),
        CheckKeyNames.SOURCE.withValue(result.source().name().toLowerCase(Locale.ROOT)));
  }
}
