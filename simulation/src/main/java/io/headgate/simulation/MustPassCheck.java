package io.headgate.simulation;

/** No lock-out: from a time on, every request is within its limits and must be allowed. */
final class MustPassCheck implements Check {
  private final long from;

  /**
   * @param from in µs since the start
   */
  MustPassCheck(long from) {
    this.from = from;
  }

  @Override
  public void decided(World world, Decision decision) {
    if (decision.request().at() < from || decision.isAllowed()) return;
    world.fail("denied though within its limits: " + decision);
  }
}
