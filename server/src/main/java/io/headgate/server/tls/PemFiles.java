package io.headgate.server.tls;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayInputStream;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.regex.Pattern;

/** Reads and validates PEM files. Messages name the file and never quote its content. */
final class PemFiles {
  private static final Pattern KEY =
      Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");

  /**
   * Returns the certificates of a file.
   *
   * @throws IllegalArgumentException if it has none
   */
  static List<? extends Certificate> requireCertificates(Path file, byte[] content) {
    try {
      var factory = CertificateFactory.getInstance("X.509");
      var found = List.copyOf(factory.generateCertificates(new ByteArrayInputStream(content)));
      if (!found.isEmpty()) return found;
    } catch (CertificateException e) {
      throw new IllegalArgumentException(
          "%s has no PEM certificates (%s)".formatted(file, e.getMessage()), e);
    }
    throw new IllegalArgumentException("there is no certificate in %s".formatted(file));
  }

  /**
   * Checks that a private key belongs to a certificate, since a mismatch would otherwise show only
   * when the first client connects.
   *
   * @throws IllegalArgumentException if it does not, or either file can't be used
   */
  static void requirePair(Path certificate, byte[] chain, Path key, byte[] privateKeyPem) {
    var publicKey = requireCertificates(certificate, chain).getFirst().getPublicKey();
    if (!isPair(publicKey, privateKey(key, privateKeyPem, publicKey.getAlgorithm()))) {
      throw new IllegalArgumentException(
          "the key in %s does not match the certificate in %s".formatted(key, certificate));
    }
  }

  private static PrivateKey privateKey(Path file, byte[] content, String algorithm) {
    var found = KEY.matcher(new String(content, ISO_8859_1));
    if (!found.find()) {
      throw new IllegalArgumentException(
          "there is no private key in %s; it must be PEM, PKCS#8, without password (convert it with"
                  .formatted(file)
              + " openssl pkcs8 -topk8 -nocrypt)");
    }
    try {
      byte[] bytes = Base64.getMimeDecoder().decode(found.group(1));
      return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(bytes));
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "the private key in %s is not a valid %s key, as the certificate requires"
              .formatted(file, algorithm),
          e);
    }
  }

  private static boolean isPair(PublicKey publicKey, PrivateKey key) {
    String algorithm =
        switch (publicKey.getAlgorithm()) {
          case "EC" -> "SHA256withECDSA";
          case "RSA" -> "SHA256withRSA";
          default -> publicKey.getAlgorithm(); // Ed25519 and Ed448 keys and signatures share a name
        };
    byte[] sample = {1, 2, 3};
    try {
      var signing = Signature.getInstance(algorithm);
      signing.initSign(key);
      signing.update(sample);
      byte[] signed = signing.sign();
      var verifying = Signature.getInstance(algorithm);
      verifying.initVerify(publicKey);
      verifying.update(sample);
      return verifying.verify(signed);
    } catch (GeneralSecurityException e) {
      return false;
    }
  }

  private PemFiles() {}
}
