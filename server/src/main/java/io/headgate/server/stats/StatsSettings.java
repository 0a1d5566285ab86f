package io.headgate.server.stats;

import io.headgate.server.anomaly.WebhookTarget;
import io.headgate.server.callers.CallerMask;
import io.headgate.server.callers.CallerNaming;
import java.util.List;
import java.util.Optional;

/**
 * Settings of the statistics.
 *
 * @param callerNames the attributes that name a caller, in order of preference
 * @param webhook receives anomalies, if present
 * @param mask how callers are shown in logs, to the webhook and without an admin token
 */
public record StatsSettings(
    List<String> callerNames, Optional<WebhookTarget> webhook, CallerMask mask) {
  public static final StatsSettings DEFAULT =
      new StatsSettings(CallerNaming.DEFAULT_ATTRIBUTES, Optional.empty(), CallerMask.NONE);

  public StatsSettings {
    callerNames = new CallerNaming(callerNames).attributes();
  }
}
