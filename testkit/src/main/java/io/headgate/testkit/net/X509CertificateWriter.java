package io.headgate.testkit.net;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;
import javax.security.auth.x500.X500Principal;

/**
 * Writes X.509 certificates (RFC 5280) for 127.0.0.1 and localhost in DER, signed with ECDSA. The
 * JDK has no API for it, and a process of keytool for each step takes half a second of CPU time.
 */
final class X509CertificateWriter {
  private static final Duration VALIDITY = Duration.ofDays(30);
  private static final DateTimeFormatter UTC_TIME =
      DateTimeFormatter.ofPattern("yyMMddHHmmss'Z'").withZone(ZoneOffset.UTC);

  private static final int BOOLEAN = 0x01;
  private static final int INTEGER = 0x02;
  private static final int BIT_STRING = 0x03;
  private static final int OCTET_STRING = 0x04;
  private static final int UTC_TIME_TAG = 0x17;
  private static final int SEQUENCE = 0x30;
  private static final int VERSION = 0xa0;
  private static final int EXTENSIONS = 0xa3;
  private static final int DNS_NAME = 0x82;
  private static final int IP_ADDRESS = 0x87;

  private static final byte[] ECDSA_WITH_SHA256 = sequence(hex("06082a8648ce3d040302"));
  private static final byte[] SUBJECT_ALTERNATIVE_NAME = hex("0603551d11");
  private static final byte[] BASIC_CONSTRAINTS = hex("0603551d13");
  private static final byte[] TRUE = der(BOOLEAN, hex("ff"));

  private final X500Principal issuer;
  private final KeyPair signer;

  /**
   * @param signer the key pair of the issuer
   */
  X509CertificateWriter(String issuer, KeyPair signer) {
    this.issuer = new X500Principal(issuer);
    this.signer = signer;
  }

  /** Returns the certificate of the issuer itself: that of a CA, valid from now. */
  X509Certificate selfSigned() throws GeneralSecurityException {
    return write(issuer, signer.getPublic(), Instant.now(), true);
  }

  /** Returns a certificate that is valid from a time for 30 days. */
  X509Certificate sign(String subject, PublicKey key, Instant from)
      throws GeneralSecurityException {
    return write(new X500Principal(subject), key, from, false);
  }

  private X509Certificate write(X500Principal subject, PublicKey key, Instant from, boolean isCa)
      throws GeneralSecurityException {
    var names =
        sequence(der(DNS_NAME, "localhost".getBytes(US_ASCII)), der(IP_ADDRESS, hex("7f000001")));
    var alternative = sequence(SUBJECT_ALTERNATIVE_NAME, der(OCTET_STRING, names));
    var ca = sequence(BASIC_CONSTRAINTS, TRUE, der(OCTET_STRING, sequence(TRUE)));
    var serial = BigInteger.valueOf(ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE));
    var content =
        sequence(
            der(VERSION, der(INTEGER, new byte[] {2})), // 3
            der(INTEGER, serial.toByteArray()),
            ECDSA_WITH_SHA256,
            issuer.getEncoded(),
            sequence(time(from), time(from.plus(VALIDITY))),
            subject.getEncoded(),
            key.getEncoded(),
            der(EXTENSIONS, isCa ? sequence(alternative, ca) : sequence(alternative)));
    var signature = Signature.getInstance("SHA256withECDSA");
    signature.initSign(signer.getPrivate());
    signature.update(content);
    var bits = der(BIT_STRING, new byte[1], signature.sign()); // no unused bits
    var encoded = sequence(content, ECDSA_WITH_SHA256, bits);
    return (X509Certificate)
        CertificateFactory.getInstance("X.509")
            .generateCertificate(new ByteArrayInputStream(encoded));
  }

  private static byte[] time(Instant time) {
    return der(UTC_TIME_TAG, UTC_TIME.format(time).getBytes(US_ASCII));
  }

  private static byte[] sequence(byte[]... parts) {
    return der(SEQUENCE, parts);
  }

  /** Encodes a tag, the length and the content. */
  private static byte[] der(int tag, byte[]... parts) {
    int length = 0;
    for (var part : parts) length += part.length;
    var out = new ByteArrayOutputStream();
    out.write(tag);
    if (length >= 0x100) {
      out.write(0x82); // two bytes of length follow
      out.write(length >> 8);
    } else if (length >= 0x80) {
      out.write(0x81);
    }
    out.write(length);
    for (var part : parts) out.writeBytes(part);
    return out.toByteArray();
  }

  private static byte[] hex(String digits) {
    return HexFormat.of().parseHex(digits);
  }
}
