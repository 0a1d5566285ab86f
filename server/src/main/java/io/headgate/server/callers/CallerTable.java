package io.headgate.server.callers;

import io.headgate.CheckResult;
import io.headgate.Decision;
import io.headgate.LimitReport;
import io.headgate.rule.Subject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Exact counts of callers within one second, as seen by one thread. A full table is replaced by a
 * new one. Not thread-safe.
 *
 * <p>Callers choose their names, so names are hashed with a secret. Otherwise an attacker could
 * choose names that collide and make every check search the whole table.
 */
public final class CallerTable {
  public static final int MAX_CALLERS = 1_024;
  private static final int SLOTS = 2 * MAX_CALLERS;
  private static final int MAX_PARTS = 8;

  /** A retry time as long as this means that waiting does not help. */
  private static final Duration NEVER = Duration.ofDays(36_500);

  /** Counts of one caller, for the checks that one rule decided or would have denied. */
  public static class RulePart {
    final String rule;
    public int allowed;
    public int denied;
    public int shadowDenied;
    String limit = ""; // of the first denial, like the next field
    OptionalLong retryAfterMillis = OptionalLong.empty();
    @Nullable RulePart next;

    private RulePart(String rule) {
      this.rule = rule;
    }

    /** Counts a denial. Keeps the limit and the retry time of the first one, not the result. */
    public void countDenial(CheckResult result) {
      if (denied++ > 0) return;
      limit = result.limit().map(LimitReport::policy).orElse(rule);
      retryAfterMillis = retryAfter(result);
    }

    /** Counts a check that the rule would have denied if it were enforced. */
    public void countShadowDenial(CheckResult result) {
      if (shadowDenied++ > 0) return;
      limit =
          result.limits().stream()
              .filter(report -> report.violated() && report.rule().equals(rule))
              .findFirst()
              .map(LimitReport::policy)
              .orElse(rule);
    }

    private static OptionalLong retryAfter(CheckResult denial) {
      return denial.decision() instanceof Decision.Denied(var wait) && wait.compareTo(NEVER) < 0
          ? OptionalLong.of(wait.toMillis())
          : OptionalLong.empty();
    }
  }

  /** Counts of one caller: a list of parts whose first is this object. */
  public static final class Seen extends RulePart {
    final String attribute;
    final String value;
    final Subject subject;
    private final long hash;

    private Seen(String attribute, String value, Subject subject, long hash, String rule) {
      super(rule);
      this.attribute = attribute;
      this.value = value;
      this.subject = subject;
      this.hash = hash;
    }

    /**
     * Returns the part of a rule, and creates it if necessary. The last of {@value #MAX_PARTS}
     * parts is that of all further rules and names none.
     *
     * @param rule empty for checks that no rule decided
     */
    public RulePart of(String rule) {
      RulePart part = this;
      for (int count = 1; count < MAX_PARTS; count++) {
        if (part.rule.equals(rule)) return part;
        if (part.next == null) part.next = new RulePart(count == MAX_PARTS - 1 ? "" : rule);
        part = part.next;
      }
      return part;
    }

    int allAllowed() {
      int sum = 0;
      for (RulePart part = this; part != null; part = part.next) sum += part.allowed;
      return sum;
    }

    int allDenied() {
      int sum = 0;
      for (RulePart part = this; part != null; part = part.next) sum += part.denied;
      return sum;
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
    return size == MAX_CALLERS;
  }

  /**
   * Returns the entry of a caller, and creates it if necessary. Must not be called on a full table.
   *
   * @param rule the rule of the first part of a new entry
   */
  public Seen find(String attribute, String value, Subject subject, String rule) {
    long hash = hash(value);
    int at = (int) hash & (SLOTS - 1);
    for (var seen = slots[at]; seen != null; seen = slots[at]) {
      if (seen.hash == hash && seen.value.equals(value) && seen.attribute.equals(attribute)) {
        return seen;
      }
      at = (at + 1) & (SLOTS - 1);
    }
    size++;
    var added = new Seen(attribute, value, subject, hash, rule);
    slots[at] = added;
    return added;
  }

  List<Seen> all() {
    var all = new ArrayList<Seen>(size);
    for (var seen : slots) {
      if (seen != null) all.add(seen);
    }
    return all;
  }

  /** Returns the length of the longest run of occupied slots, the worst case of a search. */
  int longestRun() {
    int longest = 0;
    int run = 0;
    for (var seen : slots) {
      run = seen == null ? 0 : run + 1;
      longest = Math.max(longest, run);
    }
    return longest;
  }

  /**
   * Computes a keyed hash. Mixes after each character, so that names that collide under one secret
   * do not under another.
   */
  private long hash(String value) {
    long hash = secret ^ value.length();
    for (int i = 0; i < value.length(); i++) {
      hash = (hash ^ value.charAt(i)) * 0x9E3779B97F4A7C15L;
      hash ^= hash >>> 32;
    }
    return hash;
  }
}
