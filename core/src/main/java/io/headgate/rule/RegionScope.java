package io.headgate.rule;

/** Which regions a limit counts together. Without regions, every scope is the same. */
public enum RegionScope {
  /**
   * The limit applies to all regions together. Each region decides from its split and from permits
   * that it holds of the counter at home.
   */
  SHARED,
  /** The limit applies to each region by itself. */
  LOCAL,
  /** The limit applies to all regions together, and each check is decided at home. */
  HOME
}
