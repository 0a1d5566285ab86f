package io.headgate.server.http.check;

import io.headgate.RuleExplanation.Shedding;
import io.headgate.http.RoundedTimes;
import io.headgate.limit.Tuning;
import io.headgate.server.api.JsonWriter;
import io.headgate.server.stats.LoadEvent;
import io.headgate.store.BackendLevel;

/** Writes the levels of rules that shed load. */
public final class SheddingJson {
  /** Writes how a rule treats the requests of a subject, as the field {@code shedding}. */
  static void write(JsonWriter out, Shedding shedding) {
    out.name("shedding").begin();
    writeLevel(out, shedding.level());
    if (!shedding.priority().isEmpty()) out.name("priority").value(shedding.priority());
    boolean dropped = !shedding.droppedFor().isZero();
    out.name("dropped").value(dropped);
    out.name("retryAfterMs").value(RoundedTimes.millis(RoundedTimes.micros(shedding.droppedFor())));
    out.end();
  }

  /** Writes the fields of a level into an object that has begun. */
  public static void writeLevel(JsonWriter out, BackendLevel level) {
    out.name("level").value(rounded(level.level()));
    out.name("kind").value(LoadEvent.name(level.kind()));
    out.name("target").value(rounded(level.target()));
    out.name("signal").value(rounded(level.value()));
    out.name("reporters").value(level.reporters());
    out.name("signalAgeMs");
    if (level.age().isPresent()) out.value(level.age().get().toMillis());
    else out.nullValue();
    level
        .tuned()
        .ifPresent(
            bucket -> out.name("ratePerSecond").value(rounded(Tuning.perSecond(bucket.rate()))));
  }

  /** Returns a figure with four decimals. */
  public static double rounded(double value) {
    return Math.round(value * 10_000) / 10_000.0;
  }

  private SheddingJson() {}
}
