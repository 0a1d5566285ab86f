package io.headgate.client;

import io.headgate.Decision;
import io.headgate.rule.Request;
import io.headgate.store.Source;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Caches denials until their retry time, so that a caller over its limit causes no requests to the
 * service. Holds at most {@link #MAX_ENTRIES}; the oldest is evicted first. Thread-safe.
 *
 * <p>Never denies a request later than the service would without a reset, a raised limit or
 * returned permits: the retry time counts from before the request was sent, and a denial is cached
 * only if time alone ends it. Slots may be released at any moment, and a load level may fall, so
 * denials with such limits are not cached. After those other events it denies for at most the
 * maximum age.
 */
final class RepeatedDenials {
  static final int MAX_ENTRIES = 10_000;

  /** The algorithms whose permits return by time alone. */
  private static final Set<String> TIMED =
      Set.of(
          "token-bucket",
          "leaky-bucket",
          "fixed-window",
          "sliding-window",
          "rolling-window",
          "deny");

  private record Cached(RemoteResult result, long expiresAt, long retryAt) {}

  private final long maxAge;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<Request, Cached> entries =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Request, Cached> eldest) {
          return size() > MAX_ENTRIES;
        }
      };

  RepeatedDenials(Duration maxAge) {
    this.maxAge = maxAge.toNanos();
  }

  /** Returns the cached denial of an equal request. */
  Optional<RemoteResult> find(Request request, long now) {
    if (maxAge == 0) return Optional.empty();
    lock.lock();
    try {
      var entry = entries.get(request);
      if (entry == null) return Optional.empty();
      if (now - entry.expiresAt >= 0) {
        entries.remove(request);
        return Optional.empty();
      }
      return Optional.of(entry.result.repeated(left(entry, now)));
    } finally {
      lock.unlock();
    }
  }

  /**
   * Caches a result if it is a denial that only time ends.
   *
   * @param sentAt the time before the request was sent
   */
  void add(Request request, RemoteResult result, long sentAt) {
    if (maxAge == 0 || !(result.decision() instanceof Decision.Denied denied)) return;
    if (result.source() == Source.FALLBACK || denied.retryAfter().isZero()) return;
    if (!result.limits().stream().allMatch(limit -> TIMED.contains(limit.algorithm()))) return;
    long retry = denied.isEndless() ? Long.MAX_VALUE : denied.retryAfter().toNanos();
    long age = Math.min(maxAge, retry);
    lock.lock();
    try {
      entries.remove(request); // so that it becomes the youngest
      entries.put(
          request, new Cached(result, sentAt + age, denied.isEndless() ? 0 : sentAt + retry));
    } finally {
      lock.unlock();
    }
  }

  int size() {
    lock.lock();
    try {
      return entries.size();
    } finally {
      lock.unlock();
    }
  }

  private static Duration left(Cached entry, long now) {
    return entry.result.decision() instanceof Decision.Denied denied && denied.isEndless()
        ? Decision.Denied.ENDLESS
        : Duration.ofNanos(entry.retryAt - now);
  }
}
