package io.headgate.limit;

/**
 * A limit without a counter: its outcome does not depend on earlier requests, so no store is
 * involved. Leaves the state of a limit that it replaces unchanged.
 */
public sealed interface Stateless extends Limit permits Deny, Shed, Unlimited {
  @Override
  default State adopt(State state, long now) {
    return state;
  }

  /** Returns this limit, whatever {@code n} is. */
  @Override
  default Limit dividedBy(int n) {
    return this;
  }

  /** Returns 0: nothing is refilled. */
  @Override
  default long window() {
    return 0;
  }
}
