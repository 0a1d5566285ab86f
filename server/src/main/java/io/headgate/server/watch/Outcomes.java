package io.headgate.server.watch;

/**
 * How many checks ended how. Not for several threads at once.
 *
 * <p>One may count in several: {@code shadowDenied} are among the allowed, {@code degraded} are
 * those that a policy decided since the store was away, {@code failedOpen} those of them that were
 * allowed.
 */
final class Outcomes {
  long allowed;
  long denied;
  long shadowDenied;
  long degraded;
  long failedOpen;

  void add(Outcomes others) {
    allowed += others.allowed;
    denied += others.denied;
    shadowDenied += others.shadowDenied;
    degraded += others.degraded;
    failedOpen += others.failedOpen;
  }

  long all() {
    return allowed + denied;
  }

  Counts counts() {
    return new Counts(allowed, denied, shadowDenied, degraded, failedOpen);
  }
}
