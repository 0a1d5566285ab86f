package io.headgate.redis;

import io.headgate.internal.script.BatchListener;
import io.headgate.internal.script.FailureDomainStore;
import io.headgate.internal.script.ReadBarrier;
import io.headgate.internal.script.ScriptConnection;
import io.headgate.internal.script.ScriptExecutor;
import io.headgate.redis.internal.home.HomeServiceClient;
import io.headgate.store.OutageListener;
import io.headgate.store.Store;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;

/** The way to home through the service of another region. Thread-safe. */
final class ServiceHome implements HomeLink {
  private static final String PREFIX = ""; // home's service adds its own

  private final HomeService home;
  private final HomeServiceClient client;
  private final ScriptConnection guarded;
  private final Store store;
  private final ScheduledExecutorService timer =
      new ScheduledThreadPoolExecutor(
          1, Thread.ofPlatform().daemon().name("headgate-home-timer").factory());
  private volatile int instances = 1;

  ServiceHome(HomeService home, Duration lease) {
    this.home = home;
    this.client = new HomeServiceClient(home, lease);
    this.guarded = client.connection(true);
    var executor =
        ScriptExecutor.of(
            new ScriptExecutor.Settings("home", PREFIX, home.deadline(), 0, BatchListener.NONE),
            client.connection(false),
            ReadBarrier.NONE);
    this.store =
        new FailureDomainStore(
            1,
            executor,
            executor::decide,
            executor::chargeSpent,
            key -> 0,
            () -> instances,
            OutageListener.NONE);
  }

  @Override
  public ScriptConnection guarded() {
    return guarded;
  }

  @Override
  public String prefix() {
    return PREFIX;
  }

  @Override
  public Store store() {
    return store;
  }

  @Override
  public CompletionStage<?> heartbeat() {
    return client.heartbeat();
  }

  @Override
  public CompletionStage<List<byte[]>> report(String instance, byte[] report) {
    return client
        .report(instance, report)
        .thenApply(reply -> {
          instances = Math.max(1, reply.size() / RegionReport.FIELDS);
          return reply;
        });
  }

  @Override
  public ReadBarrier barrier() {
    return ReadBarrier.NONE;
  }

  @Override
  public ScheduledExecutorService timer() {
    return timer;
  }

  @Override
  public CompletionStage<byte[]> relay(byte[] call) {
    throw new UnsupportedOperationException(
        "this service has no connection to home's Redis, its --home is %s; set --home to home's Redis, or to a service that is connected to it"
            .formatted(home.location()));
  }

  @Override
  public void close() {
    timer.shutdownNow();
    store.close();
    client.close();
  }
}
