package io.headgate.cluster.internal;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.NamedParameterSpec;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Derives the key and certificate of a cluster from its secret.
 *
 * <p>All members that know the secret derive the same Ed25519 key and the same self-signed
 * certificate, and trust no other. TLS then authenticates both sides by possession of the key, and
 * encrypts with keys that are new for each connection. The derivation, PBKDF2 with many rounds,
 * makes guessing a weak secret from recorded traffic expensive.
 */
final class SecretKeys {
  private static final int ROUNDS = 600_000;
  private static final int SEED_BYTES = 32; // a private key of Ed25519 (RFC 8032)

  private SecretKeys() {}

  /**
   * Writes the key stores of a secret to files that only this user can read.
   *
   * @param cluster the name of the cluster: clusters of one secret have different keys
   */
  static MemberKeys write(String cluster, String secret) {
    return write(cluster, secret, ROUNDS);
  }

  /** As above, with a number of rounds of the derivation. */
  static MemberKeys write(String cluster, String secret, int rounds) {
    try {
      var pair = keyPair(cluster, secret, rounds);
      var certificate = certificate(pair);
      return KeyStoreFiles.write(pair.getPrivate(), List.of(certificate), List.of(certificate));
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException(
          "cannot derive the keys of the cluster: " + e.getMessage(), e);
    }
  }

  private static KeyPair keyPair(String cluster, String secret, int rounds)
      throws GeneralSecurityException {
    var salt = ("headgate cluster " + cluster).getBytes(StandardCharsets.UTF_8);
    var spec = new PBEKeySpec(secret.toCharArray(), salt, rounds, 8 * SEED_BYTES);
    var master = SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256").generateSecret(spec);
    var mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(master.getEncoded(), "HmacSHA256"));
    var seed = mac.doFinal("member key".getBytes(StandardCharsets.UTF_8));
    var generator = KeyPairGenerator.getInstance("Ed25519");
    generator.initialize(NamedParameterSpec.ED25519, new FixedSeed(seed));
    return generator.generateKeyPair();
  }

  /** Returns the seed of a key instead of random bytes: the private key of Ed25519 is these. */
  private static final class FixedSeed extends SecureRandom {
    private static final long serialVersionUID = 1;

    private final byte[] seed;

    FixedSeed(byte[] seed) {
      this.seed = seed.clone();
    }

    @Override
    public void nextBytes(byte[] bytes) {
      if (bytes.length != seed.length) {
        throw new IllegalStateException("expected a seed of %d bytes".formatted(seed.length));
      }
      System.arraycopy(seed, 0, bytes, 0, bytes.length);
    }
  }

  /** Returns a self-signed certificate; the same for the same key, since Ed25519 has no nonce. */
  static Certificate certificate(KeyPair pair) throws GeneralSecurityException {
    var hex = HexFormat.of();
    var algorithm = hex.parseHex("300506032b6570"); // Ed25519
    var name = sequence(der(0x31, sequence(hex.parseHex("0603550403"), text("headgate-cluster"))));
    var validity =
        sequence(
            der(0x17, "200101000000Z".getBytes(StandardCharsets.US_ASCII)),
            der(0x18, "20991231235959Z".getBytes(StandardCharsets.US_ASCII)));
    var body =
        sequence(
            der(0xa0, hex.parseHex("020102")), // version 3
            hex.parseHex("020101"), // serial number
            algorithm,
            name,
            validity,
            name,
            pair.getPublic().getEncoded());
    var signer = Signature.getInstance("Ed25519");
    signer.initSign(pair.getPrivate());
    signer.update(body);
    var signature = der(0x03, join(new byte[1], signer.sign()));
    return CertificateFactory.getInstance("X.509")
        .generateCertificate(new ByteArrayInputStream(sequence(body, algorithm, signature)));
  }

  private static byte[] text(String text) {
    return der(0x0c, text.getBytes(StandardCharsets.UTF_8));
  }

  private static byte[] sequence(byte[]... parts) {
    return der(0x30, join(parts));
  }

  private static byte[] der(int tag, byte[] content) {
    var out = new ByteArrayOutputStream();
    out.write(tag);
    if (content.length < 0x80) {
      out.write(content.length);
    } else if (content.length < 0x100) {
      out.write(0x81);
      out.write(content.length);
    } else {
      out.write(0x82);
      out.write(content.length >> 8);
      out.write(content.length);
    }
    out.writeBytes(content);
    return out.toByteArray();
  }

  private static byte[] join(byte[]... parts) {
    var out = new ByteArrayOutputStream();
    Arrays.stream(parts).forEach(out::writeBytes);
    return out.toByteArray();
  }
}
