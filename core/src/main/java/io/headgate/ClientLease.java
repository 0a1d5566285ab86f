package io.headgate;

import java.time.Duration;
import java.util.Optional;

/**
 * Permits that a client may spend without a request, or the reason why it has none. Immutable.
 *
 * <p>The client may make {@link Granted#checks} checks of the request it named, until {@link
 * Granted#ttl} has passed since <em>before</em> it sent its request. Permits that it has not
 * reported by then count as spent.
 */
public sealed interface ClientLease {
  /**
   * A lease.
   *
   * @param id names the lease when its usage is reported; another one after each renewal
   * @param checks how many checks the client may decide itself, at least 1
   * @param ttl the time to live
   * @param result the state of the limits after the grant, without the held permits
   */
  record Granted(String id, long checks, Duration ttl, CheckResult result) implements ClientLease {}

  /**
   * No lease. The service decides each check.
   *
   * @param reason why, for people
   * @param lasting whether this stays so until the rules are changed; false if permits were short
   * @param result the state of the limits; empty if they were not evaluated
   */
  record None(String reason, boolean lasting, Optional<CheckResult> result)
      implements ClientLease {}
}
