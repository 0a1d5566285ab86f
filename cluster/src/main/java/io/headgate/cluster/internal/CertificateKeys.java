package io.headgate.cluster.internal;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertPathValidator;
import java.security.cert.CertPathValidatorException;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.PKIXParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Reads the certificate and key of a member from PEM files, and checks that they fit: a mistake is
 * reported at the start and not by members that don't find each other.
 */
final class CertificateKeys {
  private static final long MAX_BYTES = 1 << 20;
  private static final Pattern KEY =
      Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");

  private CertificateKeys() {}

  /**
   * Writes key stores of the files.
   *
   * @throws IllegalArgumentException if a file can't be read, or the files do not fit together
   */
  static MemberKeys write(Path certificate, Path key, Path authority) {
    var chain = certificates(certificate, "the certificate of this member");
    var trusted = certificates(authority, "the certificates of the authority");
    var first = chain.getFirst();
    requireSigned(certificate, chain, authority, trusted);
    try {
      var privateKey = privateKey(key, first.getPublicKey());
      return KeyStoreFiles.write(privateKey, List.copyOf(chain), List.copyOf(trusted));
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalArgumentException(
          "cannot use the key %s with the certificate %s: %s"
              .formatted(key, certificate, e.getMessage()),
          e);
    }
  }

  private static List<X509Certificate> certificates(Path file, String what) {
    try {
      var read =
          CertificateFactory.getInstance("X.509")
              .generateCertificates(new ByteArrayInputStream(content(file, what)));
      var all = new ArrayList<X509Certificate>();
      for (Certificate each : read) all.add((X509Certificate) each);
      if (!all.isEmpty()) return all;
    } catch (CertificateException e) {
      throw new IllegalArgumentException(
          "%s, %s, is no certificate in PEM: %s".formatted(what, file, e.getMessage()), e);
    }
    throw new IllegalArgumentException("%s, %s, has no certificate".formatted(what, file));
  }

  private static byte[] content(Path file, String what) {
    try {
      if (Files.size(file) > MAX_BYTES) {
        throw new IllegalArgumentException(
            "%s, %s, is larger than %d bytes".formatted(what, file, MAX_BYTES));
      }
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "cannot read %s: %s (%s)".formatted(what, file, e.getClass().getSimpleName()), e);
    }
  }

  private static PrivateKey privateKey(Path file, PublicKey publicKey)
      throws GeneralSecurityException {
    var text = new String(content(file, "the key of this member"), StandardCharsets.ISO_8859_1);
    var found = KEY.matcher(text);
    if (!found.find()) {
      throw new IllegalArgumentException(
          "the key of this member, %s, is no unencrypted private key in PKCS #8; convert it with:"
                  .formatted(file)
              + " openssl pkcs8 -topk8 -nocrypt -in KEY -out NEW");
    }
    var bytes = Base64.getMimeDecoder().decode(found.group(1));
    var key =
        KeyFactory.getInstance(publicKey.getAlgorithm())
            .generatePrivate(new PKCS8EncodedKeySpec(bytes));
    if (!isPair(key, publicKey)) {
      throw new IllegalArgumentException(
          "the key of this member, %s, is not that of its certificate".formatted(file));
    }
    return key;
  }

  private static boolean isPair(PrivateKey key, PublicKey publicKey)
      throws GeneralSecurityException {
    var algorithm =
        switch (publicKey.getAlgorithm()) {
          case "RSA" -> "SHA256withRSA";
          case "EC" -> "SHA256withECDSA";
          default -> publicKey.getAlgorithm();
        };
    var signature = Signature.getInstance(algorithm);
    signature.initSign(key);
    signature.update((byte) 1);
    var signed = signature.sign();
    signature.initVerify(publicKey);
    signature.update((byte) 1);
    return signature.verify(signed);
  }

  private static void requireSigned(
      Path file, List<X509Certificate> chain, Path authority, List<X509Certificate> trusted) {
    try {
      var path = CertificateFactory.getInstance("X.509").generateCertPath(chain);
      var anchors =
          trusted.stream()
              .map(certificate -> new TrustAnchor(certificate, null))
              .collect(Collectors.toUnmodifiableSet());
      var parameters = new PKIXParameters(anchors);
      parameters.setRevocationEnabled(false);
      CertPathValidator.getInstance("PKIX").validate(path, parameters);
    } catch (CertPathValidatorException e) {
      throw new IllegalArgumentException(
          "the certificate of this member, %s, is not valid under the authority %s: %s"
              .formatted(file, authority, e.getMessage()),
          e);
    } catch (GeneralSecurityException e) {
      throw new IllegalArgumentException(
          "cannot check the certificate of this member, %s: %s".formatted(file, e.getMessage()), e);
    }
  }
}
