package io.headgate.system.endurance;

/**
 * The answer to one call.
 *
 * @param decision whether it was admitted, and by what
 * @param strict whether it is counted by the strict limit whose bound is checked
 */
record Reply(Decision decision, boolean strict) {
  /** The kinds of answers. */
  enum Decision {
    ADMITTED,
    DENIED,
    /**
     * Decided without the store, since it was unavailable or late. Also a denial far below the
     * limit whose reason is not known.
     */
    FALLBACK
  }

  /** The reply to a call that is not limited. */
  static final Reply DONE = new Reply(Decision.ADMITTED, false);

  static final Reply LATE = new Reply(Decision.FALLBACK, false);

  /** Reads the body of a decision. */
  static Reply of(String body, boolean strict) {
    return of(
        body.startsWith("{\"allowed\":true"),
        body.contains("\"source\":\"fallback\""),
        body.contains("\"source\":\"cache\""),
        strict);
  }

  /**
   * Classifies a decision. The rules deny while the store is unavailable if they are strict here,
   * and admit far more than is asked otherwise.
   *
   * @param cached whether it may have been decided by the store's last answer, as late ones are
   */
  static Reply of(boolean admitted, boolean fallback, boolean cached, boolean strict) {
    if (admitted && fallback && strict) throw new IllegalStateException("admitted by a fallback");
    if (fallback || (cached && !admitted && !strict)) return new Reply(Decision.FALLBACK, strict);
    if (!admitted && !strict) throw new IllegalStateException("denied far below the limit");
    return new Reply(admitted ? Decision.ADMITTED : Decision.DENIED, strict);
  }
}
