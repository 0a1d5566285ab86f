package io.headgate.limit;

/**
 * What was taken in the window that ends at {@code end}.
 *
 * @param permits and {@code cut}: the limit that wrote this, so that another can take over
 */
public record WindowState(long end, long count, long permits, long cut) implements State {
  WindowState plus(long cost) {
    return new WindowState(end, count + cost, permits, cut);
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
