package io.headgate.docs;

import io.headgate.server.RuleSource;
import io.headgate.server.Service;
import io.headgate.server.ServiceSettings;
import io.headgate.server.api.AccessControl;
import io.headgate.server.grpc.GrpcSettings;
import io.headgate.server.metrics.StoreMetrics;
import io.headgate.server.rules.database.DatabaseAddress;
import io.headgate.server.stats.StatsSettings;
import io.headgate.store.MemoryStore;
import io.headgate.store.Ticker;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** Starts a service in this JVM with the example rules, as {@code ./headgate serve} does. */
final class LocalService {
  /**
   * Starts a service with a database of its own.
   *
   * @param folder the directory in which to make {@code headgate-data}
   * @param ticker the clock of counters and schedules
   */
  static Service start(Path folder, Ticker ticker) throws IOException, InterruptedException {
    var data = folder.resolve("headgate-data");
    var settings =
        new ServiceSettings(
            ServiceSettings.DEFAULT_HOST,
            0,
            AccessControl.OPEN,
            Duration.ofMinutes(1),
            Duration.ZERO,
            ServiceSettings.cores());
    var source =
        new RuleSource.OfDatabase(
            DatabaseAddress.parse("h2:./headgate-data/headgate", folder),
            data.resolve("last-good-rules.json"),
            Duration.ofSeconds(1),
            Optional.empty());
    return Service.start(
        settings,
        GrpcSettings.DEFAULT,
        StatsSettings.DEFAULT,
        MemoryStore.create(ticker, MemoryStore.DEFAULT_MAX_KEYS),
        source,
        new StoreMetrics(),
        ticker);
  }

  private LocalService() {}
}
