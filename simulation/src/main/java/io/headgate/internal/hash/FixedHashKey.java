package io.headgate.internal.hash;

/** Selects the constant key of {@link KeyedHash}. */
public final class FixedHashKey {
  private FixedHashKey() {}

  /**
   * Fixes the hash key, so that tables have the same iteration order in every JVM. Must be called
   * before any other class of Headgate is used.
   */
  public static void select() {
    HashSeed.fixed = true;
  }
}
