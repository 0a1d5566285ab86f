package io.headgate.server.api;

import io.headgate.http.ClientAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Throttles and logs wrong tokens by the address that sends them: {@link #BURST} at once, then one
 * per {@link #PERIOD_NANOS} (GCRA). At most {@link #MAX_ADDRESSES} addresses are tracked; the least
 * recently used is evicted first. Thread-safe. While no address is tracked, a call reads one field.
 */
final class TokenGuessThrottle {
  static final int BURST = 20;
  static final long PERIOD_NANOS = 3_000_000_000L;
  static final int MAX_ADDRESSES = 4_096;

  private static final Logger AUDIT = LoggerFactory.getLogger("io.headgate.audit");
  private static final long LOG_INTERVAL_NANOS = 1_000_000_000L;

  private final LongSupplier nanos;

  /** GCRA's theoretical arrival time of each address. */
  private final Map<ClientAddress, Long> arrivalTimes =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<ClientAddress, Long> eldest) {
          return size() > MAX_ADDRESSES;
        }
      };

  private volatile boolean tracking;
  private boolean logged;
  private long lastLogged;
  private long suppressed;

  TokenGuessThrottle(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /**
   * Returns how long the address must wait until another token of it is compared; 0 if it need not
   * wait.
   */
  long waitNanos(ClientAddress from) {
    if (!tracking) return 0;
    synchronized (arrivalTimes) {
      var until = arrivalTimes.get(from);
      if (until == null) return 0;
      long left = until - nanos.getAsLong();
      if (left <= 0) {
        arrivalTimes.remove(from);
        tracking = !arrivalTimes.isEmpty();
        return 0;
      }
      return Math.max(0, left - (BURST - 1) * PERIOD_NANOS);
    }
  }

  /** Counts a wrong token. */
  void recordFailure(ClientAddress from, Role needed) {
    synchronized (arrivalTimes) {
      long now = nanos.getAsLong();
      long until = arrivalTimes.getOrDefault(from, now);
      arrivalTimes.put(from, Math.max(0, until - now) + now + PERIOD_NANOS);
      tracking = true;
    }
    logRejection("a wrong token", from, needed);
  }

  /** Logs a rejected request: at most one line per second, with the number of suppressed ones. */
  void logRejection(String what, ClientAddress from, Role needed) {
    long others;
    synchronized (arrivalTimes) {
      long now = nanos.getAsLong();
      if (logged && now - lastLogged < LOG_INTERVAL_NANOS) {
        suppressed++;
        return;
      }
      logged = true;
      lastLogged = now;
      others = suppressed;
      suppressed = 0;
    }
    AUDIT.warn(
        "refused: {} from {} where {} is needed{}",
        what,
        from,
        needed.text(),
        others == 0 ? "" : " (and %d more since the last such line)".formatted(others));
  }

  /** Returns the number of tracked addresses. */
  int size() {
    synchronized (arrivalTimes) {
      return arrivalTimes.size();
    }
  }
}
