package io.headgate.spring.service;

import io.headgate.spring.StoreStatus;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Whether the last call of the service succeeded. Thread-safe. */
final class ServiceStatus implements StoreStatus {
  private record Outage(Instant since, String problem) {}

  private final String url;
  private volatile @Nullable Outage outage;

  ServiceStatus(String url) {
    this.url = url;
  }

  void succeeded() {
    if (outage != null) outage = null;
  }

  void failed(String problem) {
    var before = outage;
    outage = new Outage(before == null ? Instant.now() : before.since, problem);
  }

  @Override
  public String description() {
    return "service " + url;
  }

  @Override
  public boolean isUnavailable() {
    return outage != null;
  }

  @Override
  public Optional<Instant> unavailableSince() {
    return Optional.ofNullable(outage).map(Outage::since);
  }

  @Override
  public Optional<String> problem() {
    return Optional.ofNullable(outage).map(Outage::problem);
  }
}
