package io.headgate.rule;

/**
 * Selects a constant key for {@link KeyedHash} instead of a random one, so that hash tables are
 * walked in the same order in every JVM and a simulation replays.
 *
 * <p>Read once, when {@link KeyedHash} is initialized. Package-private, and set by no class of the
 * product: with a constant key, callers could choose keys that collide.
 */
final class HashSeed {
  static boolean fixed;

  private HashSeed() {}
}
