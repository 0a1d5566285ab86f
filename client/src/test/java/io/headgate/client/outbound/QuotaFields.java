package io.headgate.client.outbound;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

/** Gives the fuzz target of the client access to the parser of this package. */
public final class QuotaFields {
  /** Parses a field; throws if the result is not within its documented bounds. */
  public static void requireBounded(String field) {
    var items = QuotaField.parse(List.of(field));
    assertThat(items).hasSizeLessThanOrEqualTo(QuotaField.MAX_ITEMS);
    for (var item : items) {
      assertThat(item.numbers().values())
          .allMatch(number -> Math.abs(number) < 1_000_000_000_000_000L);
    }
    assertThat(QuotaField.parse(List.of(field, ""))).isEmpty(); // a trailing comma
  }

  private QuotaFields() {}
}
