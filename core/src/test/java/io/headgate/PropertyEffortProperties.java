package io.headgate;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.AfterContainer;

/** Tests that {@link PropertyEffort} is in force. */
class PropertyEffortProperties {
  private static int manyTries;
  private static int fewTries;

  @Property(tries = 400)
  void propertyOfManyTries(@ForAll long number) {
    manyTries++;
  }

  @Property(tries = 80)
  void propertyOfFewTries(@ForAll long number) {
    fewTries++;
  }

  @AfterContainer
  static void triesDependOnTheEffort() {
    assertThat(manyTries).isEqualTo(TestEffort.of(200, 400));
    assertThat(fewTries).isEqualTo(80);
  }
}
