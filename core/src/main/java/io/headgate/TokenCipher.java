package io.headgate;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Encrypts and authenticates the ids of reservations and of leases with AES-GCM. Each id has a key
 * of its own, derived from the secret and a random nonce of 128 bits, so that no pair of key and
 * initialization vector repeats however many ids are made. Thread-safe.
 */
final class TokenCipher {
  static final int NONCE_BYTES = 16;
  static final int SECRET_BYTES = 32;
  private static final byte VERSION = 1;
  private static final int TAG_BITS = 128;
  private static final byte[] INITIALIZATION_VECTOR = new byte[12];

  private TokenCipher() {}

  /** Returns a secret for another kind of ids, so that an id of one kind is none of the other. */
  static byte[] derive(byte[] secret, String kind) {
    try {
      var mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(secret, "HmacSHA256"));
      return mac.doFinal(kind.getBytes(StandardCharsets.UTF_8));
    } catch (GeneralSecurityException e) {
      throw unsupported(e);
    }
  }

  /** The nonce and the content of an id. */
  static final class Opened {
    private final byte[] nonce;
    private final byte[] content;

    private Opened(byte[] nonce, byte[] content) {
      this.nonce = nonce;
      this.content = content;
    }

    byte[] nonce() {
      return nonce.clone();
    }

    byte[] content() {
      return content.clone();
    }
  }

  /**
   * Encrypts the content of an id.
   *
   * @param nonce random, and used once
   */
  static byte[] seal(byte[] secret, byte[] nonce, byte[] content) {
    try {
      var sealed = cipher(Cipher.ENCRYPT_MODE, secret, nonce).doFinal(content);
      var all = new byte[1 + NONCE_BYTES + sealed.length];
      all[0] = VERSION;
      System.arraycopy(nonce, 0, all, 1, NONCE_BYTES);
      System.arraycopy(sealed, 0, all, 1 + NONCE_BYTES, sealed.length);
      return all;
    } catch (GeneralSecurityException e) {
      throw unsupported(e);
    }
  }

  /** Decrypts an id with the first of several secrets that fits; empty if none does. */
  static Optional<Opened> open(List<byte[]> secrets, byte[] token) {
    if (token.length < 1 + NONCE_BYTES + TAG_BITS / 8 || token[0] != VERSION) {
      return Optional.empty();
    }
    var nonce = Arrays.copyOfRange(token, 1, 1 + NONCE_BYTES);
    for (var secret : secrets) {
      try {
        int from = 1 + NONCE_BYTES;
        var cipher = cipher(Cipher.DECRYPT_MODE, secret, nonce);
        return Optional.of(new Opened(nonce, cipher.doFinal(token, from, token.length - from)));
      } catch (AEADBadTagException e) {
        // Forged, or sealed with another secret.
      } catch (GeneralSecurityException e) {
        throw unsupported(e);
      }
    }
    return Optional.empty();
  }

  private static Cipher cipher(int mode, byte[] secret, byte[] nonce)
      throws GeneralSecurityException {
    var mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(secret, "HmacSHA256"));
    var key = new SecretKeySpec(mac.doFinal(nonce), "AES");
    var cipher = Cipher.getInstance("AES/GCM/NoPadding");
    cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, INITIALIZATION_VECTOR));
    cipher.updateAAD(new byte[] {VERSION});
    return cipher;
  }

  private static IllegalStateException unsupported(GeneralSecurityException e) {
    return new IllegalStateException("every JDK has AES-GCM and HMAC-SHA-256", e);
  }
}
