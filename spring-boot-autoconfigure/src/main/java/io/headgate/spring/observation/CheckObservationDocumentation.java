package io.headgate.spring.observation;

import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.docs.ObservationDocumentation;

/** The observation of a check and its key values, which have the names of the service's traces. */
public enum CheckObservationDocumentation implements ObservationDocumentation {
  /** A check of an HTTP request or of the call of an annotated method. */
  CHECK {
    @Override
    public String getName() {
      return NAME;
    }

    @Override
    public Class<? extends ObservationConvention<? extends Observation.Context>>
        getDefaultConvention() {
      return DefaultCheckObservationConvention.class;
    }

    @Override
    public KeyName[] getLowCardinalityKeyNames() {
      return CheckKeyNames.values();
    }
  };

  /** The name of the observation, which is that of the latency metric of checks. */
  public static final String NAME = "headgate.check";

  /** The key values with few distinct values. */
  public enum CheckKeyNames implements KeyName {
    /**
     * The rule that denied or, if none did, whose limit is tightest; {@code (none)} without one.
     */
    RULE("headgate.rule"),

    /** {@code allowed}, {@code delayed}, {@code denied}, {@code impossible} or {@code error}. */
    OUTCOME("headgate.outcome"),

    /** {@code store}, {@code lease}, {@code cache} or {@code fallback}; {@code none} on error. */
    SOURCE("headgate.source");

    private final String key;

    CheckKeyNames(String key) {
      this.key = key;
    }

    @Override
    public String asString() {
      return key;
    }
  }
}
