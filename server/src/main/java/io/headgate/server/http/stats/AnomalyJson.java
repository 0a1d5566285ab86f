package io.headgate.server.http.stats;

import io.headgate.server.anomaly.Anomaly;
import io.headgate.server.api.JsonWriter;

/** Writes anomalies as JSON, for the API and for webhooks. */
public final class AnomalyJson {
  /** Returns an anomaly as a JSON object. */
  public static String json(Anomaly anomaly) {
    var out = new JsonWriter();
    write(out, anomaly);
    return out.toString();
  }

  static void write(JsonWriter out, Anomaly anomaly) {
    out.begin();
    out.name("id").value(anomaly.id());
    out.name("kind").value(anomaly.kind().toString());
    out.name("severity").value(anomaly.severity().toString());
    out.name("since").value(anomaly.sinceMillis());
    out.name("until");
    if (anomaly.untilMillis().isPresent()) out.value(anomaly.untilMillis().getAsLong());
    else out.nullValue();
    out.textOrNull("rule", anomaly.rule());
    out.textOrNull("caller", anomaly.caller());
    out.name("value").value(anomaly.value());
    out.name("expected");
    if (anomaly.expected().isPresent()) out.value(anomaly.expected().getAsDouble());
    else out.nullValue();
    out.name("text").value(anomaly.text());
    out.end();
  }

  private AnomalyJson() {}
}
