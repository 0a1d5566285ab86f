package io.headgate.simulation;

/** Checks that no caller is locked out: from some time on, every request must be allowed. */
final class MustPassCheck implements Check {
  private final long from;

  /**
   * @param from in µs since the start
   */
  MustPassCheck(long from) {
    this.from = from;
  }

  @Override
  public void decided(World world, TimedDecision decision) {
    if (decision.request().at() < from || decision.isAllowed()) return;
    world.fail("denied though within its limits: " + decision);
  }
}
