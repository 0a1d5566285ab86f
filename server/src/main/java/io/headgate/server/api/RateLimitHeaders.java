package io.headgate.server.api;

import io.headgate.CheckResult;
import io.headgate.http.RateLimitField;
import io.headgate.http.RateLimitFields;
import io.headgate.store.Ticker;
import io.vertx.core.http.HttpHeaders;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.BiConsumer;

/** Writes {@link RateLimitFields} with names that Vert.x need not encode again. Thread-safe. */
public final class RateLimitHeaders {
  private static final Map<RateLimitField, CharSequence> NAMES =
      new EnumMap<>(RateLimitField.class);

  static {
    for (var field : RateLimitField.values()) {
      NAMES.put(field, HttpHeaders.createOptimized(field.field()));
    }
  }

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
    fields.write(result, waited, (field, value) -> out.accept(name(field), value));
  }

  private static CharSequence name(RateLimitField field) {
    var name = NAMES.get(field);
    return name == null ? field.field() : name;
  }
}
