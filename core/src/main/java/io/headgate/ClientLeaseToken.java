package io.headgate;

import io.headgate.limit.Holdable;
import io.headgate.rule.Charge;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/**
 * The content of the id of a permit lease: the unguessable number of its holder, and the hold on
 * each counter. Self-contained, so that any instance can renew or release the lease. Encrypted and
 * authenticated, since usage of a hold that the store has lost is charged on the word of the id.
 *
 * @param holder the id of the holder in the store; exact in a double, as scripts require
 * @param order increases with each renewal
 * @param holds the holds, one for each counter
 */
record ClientLeaseToken(long holder, long order, List<HoldRef> holds) {
  static final int MAX_COUNTERS = 8;
  static final long MAX_HOLDER = (1L << 53) - 1;

  /** The largest number that scripts represent exactly. */
  private static final long MAX_NUMBER = 1L << 53;

  private static final String KIND = "headgate lease";
  private static final byte VERSION = 2;
  private static final int HEAD = 2 + 2 * Long.BYTES;
  private static final int ENTRY = 4 * Long.BYTES;

  /** The highest number of characters of an id. */
  private static final int MAX_LENGTH = 512;

  /**
   * The hold on one counter.
   *
   * @param counter a digest of the counter and its key
   * @param terms identifies the limit that granted the hold
   * @param held the number of permits
   * @param until the end of the lease by the store's clock
   */
  record HoldRef(long counter, long terms, long held, long until) {
    static HoldRef of(Charge charge, long held, long until) {
      return new HoldRef(digest(charge), termsOf((Holdable) charge.limit()), held, until);
    }
  }

  ClientLeaseToken {
    holds = List.copyOf(holds);
  }

  /** Returns the hold on the counter of a charge. */
  Optional<HoldRef> holdOn(Charge charge) {
    long digest = digest(charge);
    return holds.stream().filter(hold -> hold.counter == digest).findFirst();
  }

  /** Distinguishes a changed limit, whose permits are others, from the one that granted a hold. */
  static long termsOf(Holdable limit) {
    return 31 * (31 * limit.capacity() + limit.window()) + limit.algorithm().id().hashCode();
  }

  private static long digest(Charge charge) {
    var counter = charge.counter();
    try {
      var sha = MessageDigest.getInstance("SHA-256");
      for (var part : List.of(counter.rule(), counter.id(), charge.key())) {
        var bytes = part.getBytes(StandardCharsets.UTF_8);
        sha.update(ByteBuffer.allocate(Integer.BYTES).putInt(bytes.length).array());
        sha.update(bytes);
      }
      return ByteBuffer.wrap(sha.digest()).getLong();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every JDK has it
    }
  }

  /**
   * Encrypts the token; the text is in the URL-safe Base64 alphabet and begins with a letter.
   *
   * @param nonce {@link TokenCipher#NONCE_BYTES} random bytes
   */
  String seal(byte[] secret, byte[] nonce) {
    var out = ByteBuffer.allocate(HEAD + holds.size() * ENTRY);
    out.put(VERSION).put((byte) holds.size()).putLong(holder).putLong(order);
    for (var hold : holds) {
      out.putLong(hold.counter).putLong(hold.terms).putLong(hold.held).putLong(hold.until);
    }
    var sealed = TokenCipher.seal(TokenCipher.derive(secret, KIND), nonce, out.array());
    return Base64.getUrlEncoder().withoutPadding().encodeToString(sealed);
  }

  /** Decrypts an id; empty if it was not made with one of the secrets. */
  static Optional<ClientLeaseToken> open(List<byte[]> secrets, String text) {
    if (text.length() > MAX_LENGTH) return Optional.empty();
    byte[] token;
    try {
      token = Base64.getUrlDecoder().decode(text);
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
    var own = secrets.stream().map(secret -> TokenCipher.derive(secret, KIND)).toList();
    return TokenCipher.open(own, token).map(opened -> read(ByteBuffer.wrap(opened.content())));
  }

  private static ClientLeaseToken read(ByteBuffer in) {
    int count = in.remaining() < HEAD || in.get() != VERSION ? 0 : in.get();
    if (count < 1 || count > MAX_COUNTERS || in.remaining() != HEAD - 2 + count * ENTRY) {
      throw malformed();
    }
    long holder = in.getLong();
    long order = in.getLong();
    var holds = new ArrayList<HoldRef>(count);
    boolean valid = holder >= 0 && holder <= MAX_HOLDER && order >= 0 && order < MAX_NUMBER;
    for (int i = 0; i < count; i++) {
      var hold = new HoldRef(in.getLong(), in.getLong(), in.getLong(), in.getLong());
      valid &= hold.held >= 0 && hold.held <= MAX_NUMBER;
      valid &= hold.until >= 0 && hold.until <= MAX_NUMBER;
      holds.add(hold);
    }
    if (!valid) throw malformed();
    return new ClientLeaseToken(holder, order, holds);
  }

  private static IllegalStateException malformed() {
    return new IllegalStateException("an authentic id of a lease is malformed");
  }
}
