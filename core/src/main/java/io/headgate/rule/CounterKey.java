package io.headgate.rule;

/** Identifies the state of a counter for one subject. */
record CounterKey(Counter counter, String key) {
  /**
   * A keyed hash, since callers choose keys and colliding entries of a map are searched linearly.
   */
  @Override
  public int hashCode() {
    return Charge.hashOf(counter, key);
  }
}
