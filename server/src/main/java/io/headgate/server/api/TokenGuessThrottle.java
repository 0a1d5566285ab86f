package io.headgate.server.api;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Limits and reports wrong tokens by the address that sends them: {@link #FREE} at once, then one
 * every {@link #PERIOD_NANOS}. At most {@link #MOST} addresses are remembered, the least recent is
 * evicted first. Thread-safe; as long as no wrong token came, a call reads one field.
 */
final class TokenGuessThrottle {
  static final int FREE = 20;
  static final long PERIOD_NANOS = 3_000_000_000L;
  static final int MOST = 4_096;

  private static final Logger AUDIT = LoggerFactory.getLogger("io.headgate.audit");
  private static final long LINE_EVERY_NANOS = 1_000_000_000L;

  private final LongSupplier nanos;

  /** When an address would have none left of its wrong tokens, were they made one a period. */
  private final Map<ClientAddress, Long> spentUntil =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<ClientAddress, Long> eldest) {
          return size() > MOST;
        }
      };

  private volatile boolean any;
  private boolean logged;
  private long lastLine;
  private long unreported;

  TokenGuessThrottle(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /** How long the address must wait before another token of it is compared; 0 for not at all. */
  long waitNanos(ClientAddress from) {
    if (!any) return 0;
    synchronized (spentUntil) {
      var until = spentUntil.get(from);
      if (until == null) return 0;
      long left = until - nanos.getAsLong();
      if (left <= 0) {
        spentUntil.remove(from);
        any = !spentUntil.isEmpty();
        return 0;
      }
      return Math.max(0, left - (FREE - 1) * PERIOD_NANOS);
    }
  }

  /** Counts a token that is none of the service's. */
  void wrong(ClientAddress from, Role needed) {
    synchronized (spentUntil) {
      long now = nanos.getAsLong();
      long until = spentUntil.getOrDefault(from, now);
      spentUntil.put(from, Math.max(0, until - now) + now + PERIOD_NANOS);
      any = true;
    }
    report("a wrong token", from, needed);
  }

  /** Writes to the log what was refused; at most a line a second, which counts the others. */
  void report(String what, ClientAddress from, Role needed) {
    long others;
    synchronized (spentUntil) {
      long now = nanos.getAsLong();
      if (logged && now - lastLine < LINE_EVERY_NANOS) {
        unreported++;
        return;
      }
      logged = true;
      lastLine = now;
      others = unreported;
      unreported = 0;
    }
    AUDIT.warn(
        "refused: {} from {} where {} is needed{}",
        what,
        from,
        needed.text(),
        others == 0 ? "" : " (and %d more since the last such line)".formatted(others));
  }

  int size() {
    synchronized (spentUntil) {
      return spentUntil.size();
    }
  }
}
