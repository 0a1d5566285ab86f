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

/** What is in PEM files. Messages name the file, and never what is in it. */
final class PemFiles {
  private static final Pattern KEY =
      Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");

  static List<? extends Certificate> requireCertificates(Path file, byte[] content) {
    try {
      var factory = CertificateFactory.getInstance("X.509");
      var found = List.copyOf(factory.generateCertificates(new ByteArrayInputStream(content)));
      if (!found.isEmpty()) return found;
    } catch (CertificateException e) {
      throw new IllegalArgumentException(
          "%s has no certificates in PEM (%s)".formatted(file, e.getMessage()), e);
    }
    throw new IllegalArgumentException("there is no certificate in %s".formatted(file));
  }

  /** A certificate with another's key is only found out when a client comes: too late. */
  static void requirePair(Path certificate, byte[] chain, Path key, byte[] secret) {
    var shown = requireCertificates(certificate, chain).getFirst().getPublicKey();
    if (!belong(shown, privateKey(key, secret, shown.getAlgorithm()))) {
      throw new IllegalArgumentException(
          "the key in %s is not that of the certificate in %s".formatted(key, certificate));
    }
  }

  private static PrivateKey privateKey(Path file, byte[] content, String algorithm) {
    var found = KEY.matcher(new String(content, ISO_8859_1));
    if (!found.find()) {
      throw new IllegalArgumentException(
          "there is no private key in %s; it must be PEM, PKCS#8, without password (openssl pkcs8"
                  .formatted(file)
              + " -topk8 -nocrypt makes it so)");
    }
    try {
      byte[] bytes = Base64.getMimeDecoder().decode(found.group(1));
      return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(bytes));
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "the private key in %s can't be read as one of %s, which the certificate wants"
              .formatted(file, algorithm),
          e);
    }
  }

  private static boolean belong(PublicKey shown, PrivateKey key) {
    String algorithm =
        switch (shown.getAlgorithm()) {
          case "EC" -> "SHA256withECDSA";
          case "RSA" -> "SHA256withRSA";
          default -> shown.getAlgorithm(); // Ed25519 and Ed448 are named as their signatures
        };
    byte[] sample = {1, 2, 3};
    try {
      var signing = Signature.getInstance(algorithm);
      signing.initSign(key);
      signing.update(sample);
      byte[] signed = signing.sign();
      var verifying = Signature.getInstance(algorithm);
      verifying.initVerify(shown);
      verifying.update(sample);
      return verifying.verify(signed);
    } catch (GeneralSecurityException e) {
      return false;
    }
  }

  private PemFiles() {}
}
