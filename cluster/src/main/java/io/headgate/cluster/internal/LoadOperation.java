package io.headgate.cluster.internal;

import com.tangosol.util.BinaryEntry;
import io.headgate.limit.NumberReader;
import io.headgate.limit.NumberWriter;
import io.headgate.load.Setpoint;
import io.headgate.load.ShedController;
import io.headgate.load.ShedState;
import io.headgate.load.ShedState.Report;
import io.headgate.store.LoadReading;
import io.headgate.store.SignalReport;
import java.util.ArrayList;
import org.jspecify.annotations.Nullable;

/** Applies a report of the load of a backend at the owner of its state, or reads the load. */
final class LoadOperation {
  private static final long EXPIRY_MILLIS = 60_000;

  private LoadOperation() {}

  /** Encodes a report; null to read the load only. */
  static byte[] encode(@Nullable SignalReport report) {
    var out = new NumberWriter();
    if (report == null) return out.put(0).toByteArray();
    return out.put(1)
        .put(report.setpoint().target())
        .put(report.setpoint().ceiling())
        .put(report.reporter())
        .put(report.value())
        .put(report.weight())
        .put(report.seed())
        .toByteArray();
  }

  /**
   * Evaluates an operation.
   *
   * @param now the clock of this member, in microseconds
   * @return the encoded {@link LoadReading}
   */
  static byte[] evaluate(PartitionCall call, BinaryEntry<EntryKey, byte[]> anchor, long now) {
    var entry = PartitionCall.entry(anchor, call.keys()[0]);
    var stored = entry.getValue();
    var state = stored == null ? ShedState.FRESH : read(new NumberReader(stored));
    long time = Math.max(now, state.at());
    var in = new NumberReader(call.argument());
    if (in.next() == 1) {
      state =
          ShedController.report(
              new Setpoint(in.nextDouble(), in.nextDouble()),
              state,
              time,
              in.next(),
              in.nextDouble(),
              in.nextDouble(),
              in.next());
      entry.setValue(write(state));
      entry.expire(EXPIRY_MILLIS);
    }
    in.end();
    var reading = LoadReading.of(state, time);
    return new NumberWriter()
        .put(reading.drop())
        .put(reading.value())
        .put(reading.reporters())
        .put(reading.at())
        .put(reading.now())
        .put(reading.seed())
        .toByteArray();
  }

  static LoadReading decode(byte[] reply) {
    var in = new NumberReader(reply);
    return new LoadReading(
        in.nextDouble(),
        in.nextDouble(),
        Math.toIntExact(in.next()),
        in.next(),
        in.next(),
        in.next());
  }

  private static byte[] write(ShedState state) {
    var out = new NumberWriter().put(state.drop()).put(state.error()).put(state.trend());
    out.put(state.at()).put(state.seed()).put(state.reporters().size());
    for (var report : state.reporters()) {
      out.put(report.reporter()).put(report.value()).put(report.weight()).put(report.at());
    }
    return out.toByteArray();
  }

  private static ShedState read(NumberReader in) {
    double drop = in.nextDouble();
    double error = in.nextDouble();
    double trend = in.nextDouble();
    long at = in.next();
    long seed = in.next();
    var reporters = new ArrayList<Report>();
    for (int left = in.count(); left > 0; left--) {
      reporters.add(new Report(in.next(), in.nextDouble(), in.nextDouble(), in.next()));
    }
    in.end();
    return new ShedState(drop, error, trend, at, seed, reporters);
  }
}
