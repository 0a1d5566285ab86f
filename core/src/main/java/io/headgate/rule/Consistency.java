package io.headgate.rule;

/**
 * How closely instances agree. In one JVM's memory there is nobody to agree with, and each of these
 * is exact.
 */
public enum Consistency {
  STRICT,
  LEASED,
  EVENTUAL
}
