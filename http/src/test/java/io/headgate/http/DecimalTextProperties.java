package io.headgate.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

class DecimalTextProperties {
  private static String written(long number) {
    var bytes = new byte[3 + DecimalText.MAX_LENGTH];
    int end = DecimalText.write(number, bytes, 3);
    return new String(bytes, 3, end - 3, StandardCharsets.US_ASCII);
  }

  @Property(tries = 2_000)
  void everyNumberIsWrittenAsTheJdkDoes(@ForAll long number) {
    assertThat(written(number)).isEqualTo(Long.toString(number));
  }

  @Example
  void numbersAroundPowersOfTenAndTwoAreWritten() {
    for (long power = 1; power > 0 && power <= 1_000_000_000_000_000_000L; power *= 10) {
      for (long number = power - 1; number <= power + 1; number++) {
        assertThat(written(number)).isEqualTo(Long.toString(number));
        assertThat(written(-number)).isEqualTo(Long.toString(-number));
      }
    }
    for (int bits = 0; bits < Long.SIZE; bits++) {
      for (long offset = -1; offset <= 1; offset++) {
        long number = (1L << bits) + offset;
        assertThat(written(number)).isEqualTo(Long.toString(number));
        assertThat(written(-number)).isEqualTo(Long.toString(-number));
      }
    }
  }
}
