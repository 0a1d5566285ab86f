package io.headgate;

/**
 * How often tests repeat what they draw at random. The system property {@code headgate.test.effort}
 * selects it: {@code quick}, the default, or {@code thorough}. The other modules have it from the
 * testkit, which depends on this one.
 */
public final class TestEffort {
  private static final boolean QUICK = isQuick(System.getProperty("headgate.test.effort", "quick"));

  private TestEffort() {}

  /** Returns the number of repetitions for the selected effort. */
  public static int of(int quick, int thorough) {
    return QUICK ? quick : thorough;
  }

  private static boolean isQuick(String effort) {
    return switch (effort) {
      case "quick" -> true;
      case "thorough" -> false;
      default ->
          throw new IllegalArgumentException(
              "headgate.test.effort is '%s', but must be quick or thorough".formatted(effort));
    };
  }
}
