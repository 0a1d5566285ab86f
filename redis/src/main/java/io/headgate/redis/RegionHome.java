package io.headgate.redis;

import java.time.Duration;

/** Where the counters are that regions share: a Redis, or the service of another region. */
public sealed interface RegionHome permits RedisOptions, HomeService {
  /** Returns the address, without secrets. */
  String location();

  /** Returns how long a call waits for the reply. */
  Duration deadline();
}
