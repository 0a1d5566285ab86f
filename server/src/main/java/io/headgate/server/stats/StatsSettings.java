package io.headgate.server.stats;

import io.headgate.server.anomaly.WebhookTarget;
import io.headgate.server.callers.CallerNaming;
import java.util.List;
import java.util.Optional;

/**
 * What to watch for, and whom to tell.
 *
 * @param callerNames the attributes that name a caller, in the order of looking for them
 * @param webhook is told of anomalies
 */
public record StatsSettings(List<String> callerNames, Optional<WebhookTarget> webhook) {
  public static final StatsSettings DEFAULT =
      new StatsSettings(CallerNaming.USUAL, Optional.empty());

  public StatsSettings {
    callerNames = new CallerNaming(callerNames).attributes();
  }
}
