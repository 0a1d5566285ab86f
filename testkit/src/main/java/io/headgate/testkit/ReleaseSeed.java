package io.headgate.testkit;

/**
 * The seeds of tests that draw at random. Each follows from the name of the test and from the
 * system property {@value #PROPERTY}, so that a run fails for a change of the code only. The build
 * sets the property to the version; {@code ./verify --thorough} draws another value and prints it.
 */
public final class ReleaseSeed {
  static final String PROPERTY = "headgate.test.seed";

  /** Returns the seed of a test. */
  public static int of(String test) {
    return (System.getProperty(PROPERTY, "") + test).hashCode();
  }

  private ReleaseSeed() {}
}
