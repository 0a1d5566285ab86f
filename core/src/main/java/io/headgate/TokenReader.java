package io.headgate;

import io.headgate.store.ReservationStore;
import io.headgate.store.Store;
import io.headgate.store.Ticker;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/**
 * Creates the ids of reservations, and reads ids that are encrypted with the secret of the store.
 * Thread-safe.
 */
final class TokenReader {
  /** The shortest time between two reads of the secret because of ids that could not be read. */
  private static final long MIN_REFRESH_MICROS = 1_000_000;

  private final Store store;
  private final SlotIds ids;
  private final Ticker ticker;
  private final List<byte[]> own; // for a store that holds permits and keeps no reservations
  private final AtomicLong refreshedAt = new AtomicLong(Long.MIN_VALUE / 2);

  TokenReader(Store store, SlotIds ids, Ticker ticker) {
    this.store = store;
    this.ids = ids;
    this.ticker = ticker;
    var secret = new byte[TokenCipher.SECRET_BYTES];
    new SecureRandom().nextBytes(secret);
    this.own = List.of(secret);
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
    var known = secrets();
    return known.isEmpty()
        ? refreshSecrets().thenApply(List::getFirst)
        : CompletableFuture.completedStage(known.getFirst());
  }

  private List<byte[]> secrets() {
    return store.reservations().map(ReservationStore::secrets).orElse(own);
  }

  private CompletionStage<List<byte[]>> refreshSecrets() {
    return store
        .reservations()
        .map(ReservationStore::refreshSecrets)
        .orElseGet(() -> CompletableFuture.completedStage(own));
  }

  /** Creates the token of a reservation whose last charge was made at {@code at}. */
  ReservationToken create(
      byte[] secret,
      boolean local,
      long at,
      Duration ttl,
      long holder,
      List<ReservationToken.ChargeRef> charges) {
    long micros = ttl.toNanos() / 1_000;
    var nonce = ReservationToken.nonce(secret, nonce(), charges);
    return new ReservationToken(
        Base64.getUrlEncoder().withoutPadding().encodeToString(nonce),
        local,
        at + micros,
        micros,
        holder,
        charges);
  }

  /** Returns {@link TokenCipher#NONCE_BYTES} unguessable bytes. */
  byte[] nonce() {
    return ByteBuffer.allocate(TokenCipher.NONCE_BYTES)
        .putLong(ids.next())
        .putLong(ids.next())
        .array();
  }

  /** Reads an id with the secrets that are known; empty if none fits. */
  Optional<ReservationToken> readNow(String id) {
    return ReservationToken.open(secrets(), id);
  }

  /**
   * Reads an id. Obtains the secret again if none fits, at most once a second, so that forged ids
   * cause little traffic.
   *
   * @return empty if the id was not made with a secret of the store
   */
  CompletionStage<Optional<ReservationToken>> read(String id) {
    return read(secrets -> ReservationToken.open(secrets, id));
  }

  /** Reads an id of any kind, as {@link #read(String)} does. */
  <T> CompletionStage<Optional<T>> read(Function<List<byte[]>, Optional<T>> open) {
    var token = open.apply(secrets());
    long now = ticker.micros();
    long last = refreshedAt.get();
    boolean first = secrets().isEmpty();
    if (token.isPresent()
        || (!first && (now - last < MIN_REFRESH_MICROS || !refreshedAt.compareAndSet(last, now)))) {
      return CompletableFuture.completedStage(token);
    }
    return refreshSecrets().thenApply(open);
  }
}
