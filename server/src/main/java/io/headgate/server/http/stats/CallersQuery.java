package io.headgate.server.http.stats;

import io.headgate.http.TextSyntax;
import io.headgate.server.api.JsonWriter;
import io.headgate.server.api.ProblemException;
import io.headgate.server.callers.CallerList;
import io.headgate.server.callers.CallerMask;
import io.headgate.server.callers.CallerSeries;
import io.headgate.server.callers.CallerStats;
import io.headgate.server.http.transport.Exchange;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * The selection and order of callers in a request.
 *
 * @param search in lower case; empty for all
 */
record CallersQuery(Sort sort, Optional<String> rule, String search, int limit) {
  static final int NAME = 2; // /v1/callers/{caller}
  private static final int DEFAULT_LIMIT = 50;
  private static final int MAX_LIMIT = 1_000;

  /** The figure by which callers are sorted, the highest first. */
  enum Sort {
    DENIED,
    ALLOWED,
    RATE,
    BURST;

    private Comparator<CallerStats> order() {
      return Comparator.comparingDouble(this::of)
          .thenComparingDouble(CallerStats::perSecond)
          .thenComparingDouble(CallerStats::allowed)
          .reversed()
          .thenComparing(CallerStats::caller);
    }

    private double of(CallerStats caller) {
      return switch (this) {
        case DENIED -> caller.denied();
        case ALLOWED -> caller.allowed();
        case RATE -> caller.perSecond();
        case BURST -> caller.burstRatio().orElse(0);
      };
    }

    static Sort parse(String text) {
      return switch (text) {
        case "denied" -> DENIED;
        case "allowed" -> ALLOWED;
        case "rate" -> RATE;
        case "burst" -> BURST;
        default ->
            throw ProblemException.badInput(
                "sort",
                "must be denied, allowed, rate or burst, got '%s'"
                    .formatted(TextSyntax.excerpt(text)));
      };
    }
  }

  /** Parses the query of a request. */
  static CallersQuery of(Exchange exchange) {
    var query = exchange.query(Set.of("sort", "rule", "search", "limit"));
    return new CallersQuery(
        Sort.parse(query.text("sort").orElse("denied")),
        query.text("rule").filter(id -> !id.isEmpty()),
        query.text("search").orElse("").toLowerCase(Locale.ROOT),
        (int) query.wholeNumber("limit", 1, MAX_LIMIT).orElse(DEFAULT_LIMIT));
  }

  /** Searches the shown form, since a search of the names would reveal them. */
  private boolean matches(CallerStats caller, CallerMask mask) {
    if (rule.isPresent() && !caller.rules().contains(rule.get())) return false;
    return search.isEmpty()
        || mask.name(caller.caller()).toLowerCase(Locale.ROOT).contains(search)
        || caller.subject().values().stream()
            .anyMatch(value -> mask.value(value).toLowerCase(Locale.ROOT).contains(search));
  }

  /** Returns the body of the response. */
  JsonWriter answer(CallerList list, CallerMask mask) {
    var out = new JsonWriter().begin();
    out.name("now").value(list.atMillis());
    out.name("windowMs").value(CallerList.WINDOW_SECONDS * 1_000L);
    out.name("tracked").value(list.tracked());
    out.name("error").json(errorBound(list));
    out.name("instances").value(list.instances());
    out.name("masked").value(mask.isActive());
    out.name("callers").beginList();
    list.callers().stream()
        .filter(caller -> matches(caller, mask))
        .sorted(sort.order())
        .limit(limit)
        .forEach(caller -> {
          out.begin();
          write(out, caller, mask);
          out.end();
        });
    return out.endList().end();
  }

  /**
   * Returns the error bound as a share of all requests. It is rounded up, with six decimals, since
   * it is usually small.
   */
  private static String errorBound(CallerList list) {
    double errorBound = list.total() == 0 ? 0 : list.floor() / list.total();
    return BigDecimal.valueOf(errorBound)
        .setScale(6, RoundingMode.CEILING)
        .stripTrailingZeros()
        .toPlainString();
  }

  /** Returns the body of the response for one caller. */
  static JsonWriter answer(CallerStats caller, Optional<CallerSeries> series, CallerMask mask) {
    var out = new JsonWriter().begin();
    write(out, caller, mask);
    out.name("masked").value(mask.isActive());
    out.name("series");
    if (series.isEmpty()) return out.nullValue().end(); // tracked by another instance only
    out.begin().name("from").value(series.get().from() * 1_000).name("stepMs").value(1_000);
    write(out.name("allowed"), series.get().allowed());
    write(out.name("denied"), series.get().denied());
    return out.end().end();
  }

  private static void write(JsonWriter out, int[] counts) {
    out.beginList();
    for (int count : counts) out.value(count);
    out.endList();
  }

  private static void write(JsonWriter out, CallerStats caller, CallerMask mask) {
    out.name("caller").value(mask.name(caller.caller()));
    out.name("subject").begin();
    mask.subject(caller.subject()).forEach(out::member);
    out.end();
    out.name("allowed").value(Math.round(caller.allowed()));
    out.name("denied").value(Math.round(caller.denied()));
    out.name("perSecond").value(caller.perSecond());
    out.name("deniedPerSecond").value(caller.deniedPerSecond());
    out.name("burstRatio");
    if (caller.burstRatio().isPresent()) out.value(caller.burstRatio().getAsDouble());
    else out.nullValue();
    out.name("since").value(caller.sinceMillis());
    out.name("last").value(caller.lastMillis());
    out.name("error").value(Math.round(Math.ceil(caller.error())));
    out.name("rules").value(caller.rules());
  }
}
