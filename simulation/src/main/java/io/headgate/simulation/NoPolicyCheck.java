package io.headgate.simulation;

/** Checks that no failure policy decides in a run without faults. */
final class NoPolicyCheck implements Check {
  @Override
  public void decided(World world, TimedDecision decision) {
    if (decision.isByPolicy()) world.fail("decided by policy without a fault: " + decision);
  }
}
