package io.headgate;

import io.headgate.limit.Limit;
import io.headgate.rule.Charge;
import io.headgate.store.ReservationStore;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/**
 * The content of a reservation's id: the charges that were made for it. Self-contained, so that any
 * instance can settle it. Encrypted, since it has the keys of counters.
 *
 * @param nonce identifies the reservation: 128 random bits in the URL-safe Base64 alphabet
 * @param local whether a failure policy granted it, so that no store has its charges
 * @param expiresAt the first expiry, in microseconds of the store's clock
 * @param ttl the time by which an update extends it, in microseconds
 * @param holder identifies its slots
 * @param charges the charges that were made
 */
record ReservationToken(
    String nonce, boolean local, long expiresAt, long ttl, long holder, List<ChargeRef> charges) {
  /** The highest number of characters of an id that is read. */
  static final int MAX_LENGTH = 65_536;

  /** The highest number of characters of a new id, which must fit into the path of a request. */
  static final int MAX_NEW_LENGTH = 7_168;

  /** The number of bytes of the nonce that the reservations of one subject have in common. */
  private static final int SUBJECT_BYTES = 5;

  private static final int OVERHEAD = 80; // the nonce, the tag and what is not of a charge
  private static final int CHARGE_BYTES = 48; // the numbers of a charge
  private static final int REPEATED = 0;

  ReservationToken {
    charges = List.copyOf(charges);
  }

  /**
   * A charge that was made.
   *
   * @param override the index of the rule's override that applied; -1 for none
   * @param name the counter's id within the rule
   * @param key the counter's key
   * @param fingerprint identifies the limit that was charged, and where
   */
  record ChargeRef(
      String rule,
      int override,
      String name,
      String key,
      long amount,
      long at,
      long freshAt,
      long fingerprint) {}

  /**
   * Returns a number that differs, with near certainty, between limits that count differently or in
   * different places. The charge of a reservation is corrected under the limit that it was made
   * under only, and where it was made.
   *
   * @param place where the limit counts; see {@code ReservationStore.placeOf}
   */
  static long fingerprint(Limit limit, int place) {
    long hash = limit.algorithm().id().hashCode();
    hash = hash * 0x9E3779B97F4A7C15L + limit.capacity();
    hash = hash * 0x9E3779B97F4A7C15L + limit.window();
    // Without regions the place is 0, and ids of earlier versions have no place.
    if (place != 0) hash = hash * 0x9E3779B97F4A7C15L + place;
    return hash ^ hash >>> 29;
  }

  /**
   * Makes a nonce: its first bytes are those of all reservations of the same counters, so that a
   * store can count these by the beginning of an id, and the others are random. With the version
   * before it, they are the first {@link ReservationStore#SUBJECT_LENGTH} characters of an id. A
   * keyed hash, so that an id does not show the counters.
   *
   * @param random as many random bytes as a nonce has
   */
  static byte[] nonce(byte[] secret, byte[] random, List<ChargeRef> charges) {
    var nonce = random.clone();
    if (charges.isEmpty()) return nonce;
    var counters = new StringBuilder("subject");
    for (var charge : charges) {
      for (var text : List.of(charge.rule, charge.name, charge.key)) {
        counters.append('|').append(text.length()).append(':').append(text);
      }
    }
    System.arraycopy(TokenCipher.derive(secret, counters.toString()), 0, nonce, 0, SUBJECT_BYTES);
    return nonce;
  }

  /** Returns the highest number of characters that the id of such charges may have. */
  static long lengthOf(List<Charge> charges) {
    long bytes = OVERHEAD;
    for (var charge : charges) {
      boolean isLatin = charge.key().chars().allMatch(c -> c < 256);
      bytes += (isLatin ? 1L : 2L) * charge.key().length();
      bytes += charge.counter().rule().length() + charge.counter().id().length() + CHARGE_BYTES;
    }
    return (bytes * 4 + 2) / 3;
  }

  /** Returns whether no permits were charged, so that nothing is to be returned or expire. */
  boolean holdsNothing() {
    return charges.stream().allMatch(charge -> charge.amount == 0);
  }

  /** Encrypts the token; the text is in the URL-safe Base64 alphabet. */
  String seal(byte[] secret) {
    var bytes = new ByteArrayOutputStream();
    try (var out = new DataOutputStream(bytes)) {
      out.writeBoolean(local);
      writeNumber(out, expiresAt);
      writeNumber(out, ttl);
      out.writeLong(holder);
      writeNumber(out, charges.size());
      String key = "";
      String rule = "";
      for (var charge : charges) {
        writeText(out, charge.rule, rule);
        writeNumber(out, charge.override + 1);
        writeText(out, charge.name, charge.rule);
        writeText(out, charge.key, key);
        writeNumber(out, charge.amount);
        writeNumber(out, charge.at);
        writeNumber(out, Math.max(0, charge.freshAt - charge.at));
        out.writeLong(charge.fingerprint);
        rule = charge.rule;
        key = charge.key;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return text(
        TokenCipher.seal(secret, Base64.getUrlDecoder().decode(nonce), bytes.toByteArray()));
  }

  /** Decrypts an id; empty if it was not made with one of the secrets. */
  static Optional<ReservationToken> open(List<byte[]> secrets, String text) {
    if (text.length() > MAX_LENGTH) return Optional.empty();
    byte[] token;
    try {
      token = Base64.getUrlDecoder().decode(text);
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
    if (!text(token).equals(text)) return Optional.empty(); // one id has one text
    return TokenCipher.open(secrets, token).map(ReservationToken::read);
  }

  private static ReservationToken read(TokenCipher.Opened opened) {
    try (var in = new DataInputStream(new ByteArrayInputStream(opened.content()))) {
      boolean local = in.readBoolean();
      long expiresAt = readNumber(in);
      long ttl = readNumber(in);
      long holder = in.readLong();
      int count = (int) readNumber(in);
      var charges = new ArrayList<ChargeRef>();
      String key = "";
      String rule = "";
      for (int i = 0; i < count; i++) {
        rule = readText(in, rule);
        int override = (int) readNumber(in) - 1;
        String name = readText(in, rule);
        key = readText(in, key);
        long amount = readNumber(in);
        long at = readNumber(in);
        long freshAt = at + readNumber(in);
        charges.add(new ChargeRef(rule, override, name, key, amount, at, freshAt, in.readLong()));
      }
      return new ReservationToken(text(opened.nonce()), local, expiresAt, ttl, holder, charges);
    } catch (IOException e) {
      throw new UncheckedIOException("an authentic id of a reservation is malformed", e);
    }
  }

  private static String text(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  /** Writes a number that is not negative in groups of seven bits, the lowest first. */
  private static void writeNumber(DataOutputStream out, long number) throws IOException {
    long rest = number;
    for (; rest > 0x7F; rest >>>= 7) out.writeByte((int) ((rest & 0x7F) | 0x80));
    out.writeByte((int) rest);
  }

  private static long readNumber(DataInputStream in) throws IOException {
    long number = 0;
    for (int shift = 0; ; shift += 7) {
      int group = in.readUnsignedByte();
      number |= (group & 0x7FL) << shift;
      if (group < 0x80) return number;
      if (shift > 56) throw new IOException("a number of more than 63 bits");
    }
  }

  /**
   * Writes a text, in UTF-16 unless it is Latin, since a key may have lone surrogates. A repeated
   * one is written as 0.
   */
  private static void writeText(DataOutputStream out, String text, String previous)
      throws IOException {
    if (text.equals(previous)) {
      writeNumber(out, REPEATED);
      return;
    }
    if (text.chars().allMatch(c -> c < 256)) {
      writeNumber(out, 1 + 2L * text.length());
      out.write(text.getBytes(StandardCharsets.ISO_8859_1));
    } else {
      writeNumber(out, 2 + 2L * text.length());
      out.writeChars(text);
    }
  }

  private static String readText(DataInputStream in, String previous) throws IOException {
    long header = readNumber(in);
    if (header == REPEATED) return previous;
    int length = (int) ((header - 1) / 2);
    if (header % 2 == 1) {
      return new String(in.readNBytes(length), StandardCharsets.ISO_8859_1);
    }
    var text = new StringBuilder(length);
    for (int i = 0; i < length; i++) text.append(in.readChar());
    return text.toString();
  }

  /** Omits the content, which must not appear in a log. */
  @Override
  public String toString() {
    return "ReservationToken[" + nonce + "]";
  }
}
