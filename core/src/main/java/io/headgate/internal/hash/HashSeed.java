package io.headgate.internal.hash;

/**
 * Selects a constant key for {@link KeyedHash} instead of a random one, so that hash tables are
 * iterated in the same order in every JVM and simulation tests are reproducible.
 *
 * <p>Read once, when {@link KeyedHash} is initialized. Package-private and never set by production
 * code: with a constant key, callers could choose keys that collide.
 */
final class HashSeed {
  static boolean fixed;

  private HashSeed() {}
}
