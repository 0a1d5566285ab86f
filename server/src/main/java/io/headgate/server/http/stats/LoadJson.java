package io.headgate.server.http.stats;

import io.headgate.server.api.JsonWriter;
import io.headgate.server.callers.CallerMask;
import io.headgate.server.http.check.SheddingJson;
import io.headgate.server.stats.LoadEvent;
import io.headgate.server.stats.LoadHistory;
import java.util.List;

/** Writes the history of rules that follow the load of backends as JSON. */
final class LoadJson {
  /** Writes events, the newest first. */
  static void events(JsonWriter out, List<LoadEvent> events, CallerMask mask) {
    out.beginList();
    for (var event : events) {
      out.begin().name("at").value(event.atMillis());
      out.name("rule").value(event.rule());
      out.name("backend").value(mask.value(event.backend()));
      out.name("change").value(change(event.change()));
      out.name("before").value(SheddingJson.rounded(event.before()));
      out.name("after").value(SheddingJson.rounded(event.after()));
      out.name("reason").value(event.reason());
      out.name("shadow").value(event.isShadow());
      out.end();
    }
    out.endList();
  }

  /** Writes the series of one rule. */
  static void series(JsonWriter out, List<LoadHistory.Series> all, CallerMask mask) {
    out.beginList();
    for (var series : all) {
      out.begin().name("backend").value(mask.value(series.backend()));
      out.name("at").beginList();
      for (var point : series.points()) out.value(point.atMillis());
      out.endList().name("value").beginList();
      for (var point : series.points()) out.value(SheddingJson.rounded(point.value()));
      out.endList().name("signal").beginList();
      for (var point : series.points()) {
        if (point.signal().isPresent()) out.value(SheddingJson.rounded(point.signal().get()));
        else out.nullValue();
      }
      out.endList().end();
    }
    out.endList();
  }

  private static String change(LoadEvent.Change change) {
    return switch (change) {
      case RATE -> "rate";
      case SHEDDING -> "shedding";
    };
  }

  private LoadJson() {}
}
