package io.headgate.server.cli.size;

/**
 * The keys of one limit.
 *
 * @param policy the limit, as {@code rule} or {@code rule/limit}
 * @param algorithm the name of the algorithm
 * @param keys the number of keys
 * @param keyBytes the bytes of one key
 */
record CounterSize(String policy, String algorithm, double keys, double keyBytes) {
  double bytes() {
    return keys * keyBytes;
  }
}
