package io.headgate.server.anomaly;

/**
 * Opens after a number of consecutive steps above a threshold, and closes after a larger number of
 * consecutive steps below another.
 */
final class Hysteresis {
  private final int toOpen;
  private final int toEnd;
  private boolean open;
  private int consecutive;

  Hysteresis(int toOpen, int toEnd) {
    this.toOpen = toOpen;
    this.toEnd = toEnd;
  }

  boolean isOpen() {
    return open;
  }

  /** Resets to closed. */
  void reset() {
    open = false;
    consecutive = 0;
  }

  /**
   * Processes one step, and returns whether it opened or closed.
   *
   * @param over clearly above the threshold
   * @param under clearly below it; if neither is true, the state does not change
   */
  boolean step(boolean over, boolean under) {
    boolean opposing = open ? under : over;
    consecutive = opposing ? consecutive + 1 : 0;
    if (consecutive < (open ? toEnd : toOpen)) return false;
    open = !open;
    consecutive = 0;
    return true;
  }
}
