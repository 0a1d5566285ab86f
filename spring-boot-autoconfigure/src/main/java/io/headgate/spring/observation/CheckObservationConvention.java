package io.headgate.spring.observation;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * Names the observations of checks and their key values. A bean of this type replaces {@link
 * DefaultCheckObservationConvention}. Implementations are thread-safe.
 */
public interface CheckObservationConvention extends ObservationConvention<CheckObservationContext> {
  @Override
  default boolean supportsContext(Observation.Context context) {
    return context instanceof CheckObservationContext;
  }
}
