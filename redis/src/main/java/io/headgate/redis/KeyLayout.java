package io.headgate.redis;

/** How the states of counters are distributed over the keys of Redis. */
public enum KeyLayout {
  /** Each counter has a key of its own. */
  SEPARATE,

  /**
   * The counters of a subject under the limits of one rule share a key, except those that are
   * sorted sets or large. A rule of several limits takes about half of the memory.
   *
   * <p>A store in this layout continues the counters of {@link #SEPARATE}. A store in that layout
   * does not read the counters of this one. So instances with different layouts count separately:
   * all instances of a prefix should have the same one.
   */
  COMPACT
}
