package io.headgate.testkit.net;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.nio.file.Files;
import java.security.KeyFactory;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import org.junit.jupiter.api.Test;

class TestCertificatesTest {
  @Test
  void keyMatchesCertificateForLocalhostAndIsDeletedOnClose() throws Exception {
    var certificates = TestCertificates.create();
    try (certificates) {
      var certificate = read(Files.readString(certificates.certificate()));
      assertThat(
              certificate.getSubjectAlternativeNames().stream()
                  .map(name -> name.getLast().toString()))
          .containsExactlyInAnyOrder("127.0.0.1", "localhost");
      certificate.verify(certificate.getPublicKey());

      var content = Files.readString(certificates.key()).replaceAll("-----.*?-----|\\s", "");
      var key = new PKCS8EncodedKeySpec(Base64.getDecoder().decode(content));
      var signer = Signature.getInstance("SHA256withECDSA");
      signer.initSign(KeyFactory.getInstance("EC").generatePrivate(key));
      signer.update("text".getBytes(UTF_8));
      var signature = signer.sign();
      signer.initVerify(certificate);
      signer.update("text".getBytes(UTF_8));
      assertThat(signer.verify(signature)).isTrue();
    }
    assertThat(certificates.certificate().getParent()).doesNotExist();
  }

  private static X509Certificate read(String pem) throws Exception {
    var bytes = new ByteArrayInputStream(pem.getBytes(UTF_8));
    return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(bytes);
  }
}
