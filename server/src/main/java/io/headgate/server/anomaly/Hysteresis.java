package io.headgate.server.anomaly;

/** Opens after some steps that are clearly too much, ends after more that are clearly not. */
final class Hysteresis {
  private final int toOpen;
  private final int toEnd;
  private boolean open;
  private int row;

  Hysteresis(int toOpen, int toEnd) {
    this.toOpen = toOpen;
    this.toEnd = toEnd;
  }

  boolean isOpen() {
    return open;
  }

  /** As if it had never opened. */
  void reset() {
    open = false;
    row = 0;
  }

  /**
   * Returns whether this step opened or ended it.
   *
   * @param over clearly too much
   * @param under clearly not; what is neither leaves things as they are
   */
  boolean step(boolean over, boolean under) {
    boolean against = open ? under : over;
    row = against ? row + 1 : 0;
    if (row < (open ? toEnd : toOpen)) return false;
    open = !open;
    row = 0;
    return true;
  }
}
