package io.headgate.cluster.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import org.junit.jupiter.api.Test;

class SecretKeysTest {
  /** Fewer than for members, since only their cost depends on the number. */
  private static final int ROUNDS = 1_000;

  private static X509Certificate certificate(Path file, String password)
      throws GeneralSecurityException, IOException {
    var store = KeyStore.getInstance("PKCS12");
    try (var in = Files.newInputStream(file)) {
      store.load(in, password.toCharArray());
    }
    return (X509Certificate) store.getCertificate("member");
  }

  @Test
  void membersWithTheSameSecretTrustEachOtherAndNoOthers() throws Exception {
    var one = SecretKeys.write("cluster", "a secret of enough length", ROUNDS);
    var same = SecretKeys.write("cluster", "a secret of enough length", ROUNDS);
    var other = SecretKeys.write("cluster", "another secret of length", ROUNDS);
    var certificate = certificate(one.identity(), one.password());
    certificate.verify(certificate.getPublicKey());
    certificate.checkValidity();
    assertThat(certificate(same.trust(), same.password())).isEqualTo(certificate);
    assertThat(certificate(other.trust(), other.password())).isNotEqualTo(certificate);
  }

  @Test
  void keysAreReadableByThisUserOnlyAndNotShownInText() throws Exception {
    var keys = SecretKeys.write("cluster", "a secret of enough length");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(keys.identity())))
        .isEqualTo("rw-------");
    assertThat(keys.toString()).doesNotContain(keys.password());
  }
}
