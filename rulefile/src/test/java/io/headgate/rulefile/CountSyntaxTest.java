package io.headgate.rulefile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CountSyntaxTest {
  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "100, 100",
    "1_000, 1000",
    "1_000_000, 1000000",
    "'1,000', 1000",
    "'12,345,678k', 12345678000",
    "10k, 10000",
    "10kB, 10000",
    "1M, 1000000",
    "10MB, 10000000",
    "2G, 2000000000",
    "3T, 3000000000000",
    "1Ki, 1024",
    "1KiB, 1024",
    "10Mi, 10485760",
    "1GiB, 1073741824",
    "1Ti, 1099511627776",
    "500B, 500",
    "9223372036854775807, 9223372036854775807",
  })
  void parsesDigitsWithUnit(String text, long count) {
    assertThat(CountSyntax.parse(text)).isEqualTo(count);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "1.5k | '1.5k' is no count; did you mean 1500? Write a whole number, such as 100, 1_000,"
            + " 10k, 1M or 10MB",
        "10,00 | '10,00' is no count; did you mean 1000? Write a whole number, such as 100, 1_000,"
            + " 10k, 1M or 10MB",
        "0.5 | '0.5' is no count. Write a whole number, such as 100, 1_000, 10k, 1M or 10MB",
        "-5 | '-5' is no count. Write a whole number, such as 100, 1_000, 10k, 1M or 10MB",
        "1__0 | '1__0' is no count; did you mean 10? Write a whole number, such as 100, 1_000,"
            + " 10k, 1M or 10MB",
        "1_1_1 | '1_1_1' is no count; did you mean 111? Write a whole number, such as 100, 1_000,"
            + " 10k, 1M or 10MB",
        "1000_000 | '1000_000' is no count; did you mean 1000000? Write a whole number, such as"
            + " 100, 1_000, 10k, 1M or 10MB",
        "1,000_000 | '1,000_000' is no count; did you mean 1000000? Write a whole number, such as"
            + " 100, 1_000, 10k, 1M or 10MB",
        "1e3 | '1e3' is no count. Write a whole number, such as 100, 1_000, 10k, 1M or 10MB",
        "many | 'many' is no count. Write a whole number, such as 100, 1_000, 10k, 1M or 10MB",
        "10K | '10K' has the unknown unit 'K'; did you mean 10k? Allowed: k, M, G, T (of 1000) and"
            + " Ki, Mi, Gi, Ti (of 1024), with or without B",
        "10mb | '10mb' has the unknown unit 'mb'; did you mean 10MB? Allowed: k, M, G, T (of 1000)"
            + " and Ki, Mi, Gi, Ti (of 1024), with or without B",
        "10x | '10x' has the unknown unit 'x'. Allowed: k, M, G, T (of 1000) and Ki, Mi, Gi, Ti (of"
            + " 1024), with or without B",
        "9223372036854775808 | '9223372036854775808' is too large",
        "99999999999T | '99999999999T' is too large",
        "1234567890123456789012345678901234567890 |"
            + " '1234567890123456789012345678901234567890' is too large",
      })
  void invalidCountIsRejectedWithASuggestion(String text, String message) {
    assertThatThrownBy(() -> CountSyntax.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "100, 100",
    "1000, 1k",
    "1500, 1500",
    "15000, 15k",
    "1024, 1Ki",
    "1024000, 1024k",
    "10485760, 10Mi",
    "1000000, 1M",
    "4503599627370496, 4096Ti",
  })
  void formatsTheShortestExactForm(long count, String text) {
    assertThat(CountSyntax.text(count)).isEqualTo(text);
  }

  @Property
  void formattedCountParsesToTheSameValue(@ForAll @LongRange(min = 0) long count) {
    assertThat(CountSyntax.parse(CountSyntax.text(count))).isEqualTo(count);
  }

  @ParameterizedTest
  @CsvSource({"0, 0", "-5, -5", "429, 429", "2147483647, 2147483647"})
  void integerMayBeNegative(String text, int number) {
    assertThat(CountSyntax.parseInteger(text)).isEqualTo(number);
  }

  @ParameterizedTest
  @CsvSource({
    "1.0, is no whole number",
    "1k, is no whole number",
    "+1, is no whole number",
    "'', is no whole number",
    "--1, is no whole number",
    "99999999999999999999, is no whole number",
    "2147483648, is too large",
    "-2147483649, is too large",
  })
  void invalidIntegerIsRejected(String text, String message) {
    assertThatThrownBy(() -> CountSyntax.parseInteger(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("'%s' %s", text, message);
  }
}
