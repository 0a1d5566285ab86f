package io.headgate.redis.internal.connection;

import io.headgate.internal.script.CounterKeys;
import io.headgate.rule.Counter;
import io.headgate.store.LoadReading;
import io.headgate.store.SignalReport;
import io.headgate.store.SignalStore;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;

/**
 * Stores the load of backends in Redis, each as one key that the script {@code signals.lua} updates
 * by the server's clock. Thread-safe.
 */
public final class RedisSignalStore implements SignalStore {
  /** Rule and limit names contain no bar, so that no counter has a key with this end. */
  private static final String SUFFIX = "|||load";

  private static final String EXPIRY_MILLIS = "60000";

  private final RedisConnection connection;
  private final CounterKeys keys;
  private final LongSupplier clock;

  /** Creates a store that uses the server's clock. */
  public RedisSignalStore(RedisConnection connection, String prefix) {
    this(connection, prefix, () -> -1);
  }

  /**
   * Creates a store with a manual clock.
   *
   * @param clock returns microseconds, or -1 for the server's clock
   */
  RedisSignalStore(RedisConnection connection, String prefix, LongSupplier clock) {
    this.connection = connection;
    this.keys = new CounterKeys(prefix);
    this.clock = clock;
  }

  @Override
  public CompletionStage<LoadReading> report(SignalReport report) {
    return run(
        report.counter(),
        report.key(),
        Double.toString(report.setpoint().target()),
        Double.toString(report.setpoint().ceiling()),
        Long.toString(report.reporter()),
        Double.toString(report.value()),
        Double.toString(report.weight()),
        Long.toString(report.seed()),
        EXPIRY_MILLIS);
  }

  @Override
  public CompletionStage<LoadReading> read(Counter counter, String key) {
    return run(counter, key);
  }

  private CompletionStage<LoadReading> run(Counter counter, String key, String... report) {
    var arguments = new byte[report.length + 1][];
    arguments[0] = bytes(Long.toString(clock.getAsLong()));
    for (int i = 0; i < report.length; i++) arguments[i + 1] = bytes(report[i]);
    return connection
        .signal(bytes(keys.of(counter, key) + SUFFIX), arguments)
        .thenApply(reply -> parse(new String(reply, StandardCharsets.UTF_8)));
  }

  private static LoadReading parse(String reply) {
    if (reply.isEmpty()) return LoadReading.NONE;
    var fields = reply.split(" ", -1);
    return new LoadReading(
        Double.parseDouble(fields[0]),
        Double.parseDouble(fields[1]),
        Integer.parseInt(fields[2]),
        Long.parseLong(fields[3]),
        Long.parseLong(fields[4]),
        Long.parseLong(fields[5]));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
