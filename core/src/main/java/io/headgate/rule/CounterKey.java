package io.headgate.rule;

/** Names one state. */
record CounterKey(Counter counter, String key) {
  /** Keyed, because callers choose keys and records in a bin of a map are searched one by one. */
  @Override
  public int hashCode() {
    return Charge.hashOf(counter, key);
  }
}
