package io.headgate.server.watch;

/**
 * How many checks ended how. Not for several threads at once.
 *
 * <p>One may count in several: each is among the {@code asked}, {@code shadowDenied} of all are
 * among the allowed, {@code degraded} are those that a policy decided since the store was away.
 */
final class Outcomes {
  long asked;
  long allowed;
  long denied;
  long shadowDenied;
  long degraded;

  void add(Outcomes others) {
    asked += others.asked;
    allowed += others.allowed;
    denied += others.denied;
    shadowDenied += others.shadowDenied;
    degraded += others.degraded;
  }

  Counts counts() {
    return new Counts(asked, allowed, denied, shadowDenied, degraded);
  }
}
