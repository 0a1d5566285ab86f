package io.headgate.server.cli.size;

import java.util.Optional;

/** The kinds of stores that can be sized. */
public enum SizedStore {
  /** Each instance has counters of its own. */
  MEMORY("memory"),
  /** All instances share one Redis, or a Redis Cluster. */
  REDIS("redis"),
  /** The instances share counters that they own. */
  CLUSTER("cluster");

  private final String label;

  SizedStore(String label) {
    this.label = label;
  }

  /** Returns the name on the command line. */
  public String label() {
    return label;
  }

  /** Returns the kind of a name or of an address of Redis; empty if it is neither. */
  public static Optional<SizedStore> of(String text) {
    for (var kind : values()) if (kind.label.equals(text)) return Optional.of(kind);
    return text.matches("rediss?(-sentinel|-cluster)?://.*")
        ? Optional.of(REDIS)
        : Optional.empty();
  }
}
