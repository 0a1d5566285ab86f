package io.headgate.simulation;

/** Without a fault no decision is made by a failure policy. */
final class NoPolicyCheck implements Check {
  @Override
  public void decided(World world, Decision decision) {
    if (decision.isFallback()) world.fail("decided by policy without a fault: " + decision);
  }
}
