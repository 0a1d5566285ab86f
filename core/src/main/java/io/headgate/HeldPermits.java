package io.headgate;

/**
 * The permits that open reservations hold of one counter, as they were reserved. Usage that clients
 * have reported meanwhile is part of them.
 *
 * @param rule the id of the rule
 * @param limit the name of the limit within the rule
 * @param key the key of the counter
 * @param reservations the number of open reservations
 * @param permits the permits that they hold
 * @param complete false if the store has more open reservations than were read, so that there may
 *     be more of this counter
 */
public record HeldPermits(
    String rule, String limit, String key, long reservations, long permits, boolean complete) {
  HeldPermits withLimit(String name) {
    return new HeldPermits(rule, name, key, reservations, permits, complete);
  }

  /**
   * The state of a counter with open reservations.
   *
   * @param held the permits of its reservations
   * @param limit the highest number of permits
   * @param remaining the permits that are left for other requests
   */
  public record Usage(HeldPermits held, long limit, long remaining) {
    /**
     * Returns the permits that are charged and not held. Permits of a reservation that time has
     * refilled since are not charged any more, so that it is at least 0.
     */
    public long used() {
      return Math.max(0, limit - remaining - held.permits());
    }
  }
}
