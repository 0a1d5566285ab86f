package io.headgate;

import io.headgate.store.ReservationStore;
import io.headgate.store.Store;
import io.headgate.store.Ticker;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;

/** Creates and reads the ids of reservations, with the secret of the store. Thread-safe. */
final class TokenReader {
  /** The shortest time between two reads of the secret because of ids that could not be read. */
  private static final long MIN_REFRESH_MICROS = 1_000_000;

  private final Store store;
  private final SlotIds ids;
  private final Ticker ticker;
  private final AtomicLong refreshedAt = new AtomicLong(Long.MIN_VALUE / 2);

  TokenReader(Store store, SlotIds ids, Ticker ticker) {
    this.store = store;
    this.ids = ids;
    this.ticker = ticker;
  }

  /** Returns the store of reservations. */
  ReservationStore store() {
    return store
        .reservations()
        .orElseThrow(() ->
            new UnsupportedOperationException(
                "this store does not keep reservations; use the store in memory, in a cluster or in"
                    + " Redis"));
  }

  long now() {
    return ticker.micros();
  }

  /** Returns the secret for new ids. */
  CompletionStage<byte[]> secret() {
    var known = store().secrets();
    return known.isEmpty()
        ? store().refreshSecrets().thenApply(List::getFirst)
        : CompletableFuture.completedStage(known.getFirst());
  }

  /** Creates the token of a reservation whose last charge was made at {@code at}. */
  ReservationToken create(
      boolean local, long at, Duration ttl, long holder, List<ReservationToken.ChargeRef> charges) {
    var nonce =
        ByteBuffer.allocate(TokenCipher.NONCE_BYTES).putLong(ids.next()).putLong(ids.next());
    long micros = ttl.toNanos() / 1_000;
    return new ReservationToken(
        Base64.getUrlEncoder().withoutPadding().encodeToString(nonce.array()),
        local,
        at + micros,
        micros,
        holder,
        charges);
  }

  /** Reads an id with the secrets that are known; empty if none fits. */
  Optional<ReservationToken> readNow(String id) {
    return ReservationToken.open(store().secrets(), id);
  }

  /**
   * Reads an id. Obtains the secret again if none fits, at most once a second, so that forged ids
   * cause little traffic.
   *
   * @return empty if the id was not made with a secret of the store
   */
  CompletionStage<Optional<ReservationToken>> read(String id) {
    var token = readNow(id);
    long now = ticker.micros();
    long last = refreshedAt.get();
    boolean first = store().secrets().isEmpty();
    if (token.isPresent()
        || (!first && (now - last < MIN_REFRESH_MICROS || !refreshedAt.compareAndSet(last, now)))) {
      return CompletableFuture.completedStage(token);
    }
    return store().refreshSecrets().thenApply(secrets -> ReservationToken.open(secrets, id));
  }
}
