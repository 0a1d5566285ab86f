package io.headgate.limit;

import io.headgate.load.ShedPolicy;

/**
 * A limit that drops a part of the requests while a backend is overloaded. The part follows the
 * signals that the backend reports, rather than earlier requests, so no counter is charged. {@link
 * #step} passes every request, as a limiter without signals does.
 *
 * @param policy when requests are dropped, and which of them first
 */
public record Shed(ShedPolicy policy) implements Stateless {
  @Override
  public Step step(State state, long now, long cost) {
    return new Step(state, new Outcome.Passed(0, 0, 0));
  }

  /** Returns 0: there are no permits. */
  @Override
  public long capacity() {
    return 0;
  }

  @Override
  public Algorithm algorithm() {
    return Algorithm.SHED;
  }
}
