package io.headgate.testkit;

import java.util.Arrays;
import java.util.Locale;

/**
 * How often tests repeat what they draw at random: histories, seeds, inputs. The system property
 * {@value #PROPERTY} selects it: {@code quick}, the default, or {@code thorough}, which {@code
 * ./verify --thorough} sets. Bounds that a test proves exactly do not depend on it.
 */
public enum TestEffort {
  QUICK,
  THOROUGH;

  static final String PROPERTY = "headgate.test.effort";

  private static final TestEffort PRESENT = named(System.getProperty(PROPERTY, "quick"));

  /** Returns the number of repetitions for the selected effort. */
  public static int of(int quick, int thorough) {
    return PRESENT == QUICK ? quick : thorough;
  }

  static TestEffort named(String name) {
    return Arrays.stream(values())
        .filter(effort -> effort.name().toLowerCase(Locale.ROOT).equals(name))
        .findFirst()
        .orElseThrow(() ->
            new IllegalArgumentException(
                "%s is '%s', but must be quick or thorough".formatted(PROPERTY, name)));
  }
}
