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
    /** Decided by a failure policy, since the store was unavailable or late. */
    FALLBACK
  }

  /** The reply to a call that is not limited. */
  static final Reply DONE = new Reply(Decision.ADMITTED, false);

  /** Reads the body of a decision. */
  static Reply of(String body, boolean strict) {
    boolean admitted = body.startsWith("{\"allowed\":true");
    if (body.contains("\"source\":\"fallback\"")) {
      if (admitted && strict) throw new IllegalStateException("admitted by a fallback: " + body);
      return new Reply(Decision.FALLBACK, strict);
    }
    return new Reply(admitted ? Decision.ADMITTED : Decision.DENIED, strict);
  }
}
