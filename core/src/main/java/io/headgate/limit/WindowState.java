package io.headgate.limit;

/**
 * The state of a fixed window.
 *
 * @param end the end of the window, in microseconds since the epoch
 * @param count the permits charged in the window
 * @param permits the permits of the limit that wrote this state
 * @param alignment the {@link Window#signature} of the limit that wrote this state
 */
public record WindowState(long end, long count, long permits, long alignment) implements State {
  WindowState plus(long cost) {
    return new WindowState(end, count + cost, permits, alignment);
  }

  @Override
  public long freshAt() {
    return count == 0 ? Long.MIN_VALUE : end;
  }

  @Override
  public long used(long now) {
    return now >= end ? Utilization.NONE : Utilization.of(count, permits);
  }
}
