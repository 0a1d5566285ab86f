package io.headgate.server.callers;

import io.headgate.rule.Subject;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Who has asked in a second or less, as one thread saw it. Exact: when it is full another is begun.
 *
 * <p>Callers choose their names, so names are hashed with a secret: else somebody could choose
 * those that all fall on one place and make every check search the whole table.
 */
public final class CallerTable {
  public static final int MOST = 1_024;
  private static final int SLOTS = 2 * MOST;

  /** One caller. */
  public static final class Seen {
    final String attribute;
    final String value;
    final Subject subject;
    private final long hash;
    public int allowed;
    public int denied;
    public String denier = "";
    public String decider = "";

    private Seen(String attribute, String value, Subject subject, long hash) {
      this.attribute = attribute;
      this.value = value;
      this.subject = subject;
      this.hash = hash;
    }
  }

  public final long second;
  private final long secret;
  private final @Nullable Seen[] slots = new Seen[SLOTS];
  private int size;

  public CallerTable(long second, long secret) {
    this.second = second;
    this.secret = secret;
  }

  public boolean isEmpty() {
    return size == 0;
  }

  public boolean isFull() {
    return size == MOST;
  }

  /** The entry of a caller, new if it has not been seen. To be called while it is not full. */
  public Seen find(String attribute, String value, Subject subject) {
    long hash = hash(value);
    int at = (int) hash & (SLOTS - 1);
    for (var seen = slots[at]; seen != null; seen = slots[at]) {
      if (seen.hash == hash && seen.value.equals(value) && seen.attribute.equals(attribute)) {
        return seen;
      }
      at = (at + 1) & (SLOTS - 1);
    }
    size++;
    var fresh = new Seen(attribute, value, subject, hash);
    slots[at] = fresh;
    return fresh;
  }

  List<Seen> all() {
    var all = new ArrayList<Seen>(size);
    for (var seen : slots) {
      if (seen != null) all.add(seen);
    }
    return all;
  }

  /** How many slots are taken one after another, at the worst: what a search may have to pass. */
  int longestRow() {
    int longest = 0;
    int row = 0;
    for (var seen : slots) {
      row = seen == null ? 0 : row + 1;
      longest = Math.max(longest, row);
    }
    return longest;
  }

  /** Mixes after each character: what collides under one secret does not under another. */
  private long hash(String value) {
    long hash = secret ^ value.length();
    for (int i = 0; i < value.length(); i++) {
      hash = (hash ^ value.charAt(i)) * 0x9E3779B97F4A7C15L;
      hash ^= hash >>> 32;
    }
    return hash;
  }
}
