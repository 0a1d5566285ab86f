package io.headgate.server.api;

import io.headgate.CheckResult;
import io.headgate.http.RateLimitField;
import io.headgate.http.RateLimitFields;
import io.headgate.store.Ticker;
import io.netty.util.AsciiString;
import io.vertx.core.http.HttpHeaders;
import java.util.Arrays;
import java.util.function.BiConsumer;

/**
 * Writes {@link RateLimitFields} with names and values that Netty need not encode again.
 * Thread-safe.
 */
public final class RateLimitHeaders {
  /** The names by the ordinal of the field. */
  private static final CharSequence[] NAMES =
      Arrays.stream(RateLimitField.values())
          .map(field -> HttpHeaders.createOptimized(field.field()))
          .toArray(CharSequence[]::new);

  private final RateLimitFields fields;

  /**
   * @param ticker the clock for {@code X-RateLimit-Reset}
   */
  public RateLimitHeaders(Ticker ticker) {
    this.fields = new RateLimitFields(ticker);
  }

  /**
   * Writes the headers of a result. Figures that are unknown, because the store is unavailable, are
   * left out.
   *
   * @param waited the time in microseconds for which the request has already been delayed
   * @param out receives each name and value
   */
  public void write(CheckResult result, long waited, BiConsumer<CharSequence, CharSequence> out) {
    fields.writeBytes(
        result,
        waited,
        (field, bytes, from, length) ->
            out.accept(name(field), new AsciiString(bytes, from, length, false)));
  }

  @SuppressWarnings("EnumOrdinal") // an index in memory, never stored
  private static CharSequence name(RateLimitField field) {
    return NAMES[field.ordinal()];
  }
}
