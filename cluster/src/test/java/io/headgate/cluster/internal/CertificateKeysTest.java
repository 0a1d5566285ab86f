package io.headgate.cluster.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.cluster.TestAuthority;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that can't be used are reported with their name and the reason. */
class CertificateKeysTest {
  @TempDir static Path folder;

  private static Path certificate;
  private static Path key;
  private static Path authority;
  private static String[] other;

  @BeforeAll
  static void issue() throws Exception {
    var files = TestAuthority.create(folder.resolve("ours")).issue("member");
    certificate = Path.of(files[0]);
    key = Path.of(files[1]);
    authority = Path.of(files[2]);
    other = TestAuthority.create(folder.resolve("other")).issue("other");
  }

  private static void assertRefused(
      Path certificate, Path key, Path authority, String... messages) {
    assertThatThrownBy(() -> CertificateKeys.write(certificate, key, authority))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll(messages);
  }

  @Test
  void keyStoresOfMatchingFilesAreWritten() {
    var keys = CertificateKeys.write(certificate, key, authority);
    assertThat(keys.identity()).isRegularFile();
    assertThat(keys.trust()).isRegularFile();
  }

  @Test
  void commandsOfTheDocumentationMakeFilesThatCanBeUsed() throws Exception {
    var page = Files.readString(Path.of("..", "docs", "cluster.md"));
    var block = Pattern.compile("```sh\n(openssl req -x509.*?)```", Pattern.DOTALL).matcher(page);
    assertThat(block.find()).isTrue();
    var made = Files.createDirectory(folder.resolve("documented"));
    var shell =
        new ProcessBuilder("bash", "-ec", block.group(1))
            .directory(made.toFile())
            .redirectErrorStream(true)
            .redirectOutput(made.resolve("output").toFile())
            .start();
    assertThat(shell.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(shell.exitValue()).as(Files.readString(made.resolve("output"))).isZero();
    CertificateKeys.write(
        made.resolve("member.pem"), made.resolve("member.key"), made.resolve("ca.pem"));
  }

  @Test
  void missingFilesAreNamed() {
    var missing = folder.resolve("missing.pem");
    var words = "missing.pem (NoSuchFileException)";
    assertRefused(missing, key, authority, "cannot read the certificate of this member", words);
    assertRefused(certificate, missing, authority, "cannot read the key of this member", words);
    assertRefused(certificate, key, missing, "cannot read the certificates of the auth", words);
  }

  @Test
  void certificateOfAnotherAuthorityIsRefused() {
    assertRefused(
        certificate, key, Path.of(other[2]), "member.pem", "is not valid under the authority");
  }

  @Test
  void keyOfAnotherCertificateIsRefused() {
    assertRefused(
        certificate, Path.of(other[1]), authority, "other.key", "not that of its certificate");
  }

  @Test
  void textThatIsNoCertificateOrKeyIsRefusedAndNotShown() throws Exception {
    var text = Files.writeString(folder.resolve("text.pem"), "a private text");
    assertThatThrownBy(() -> CertificateKeys.write(text, key, authority))
        .hasMessageContaining("text.pem")
        .hasMessageNotContaining("private text");
    assertRefused(certificate, certificate, authority, "openssl pkcs8 -topk8 -nocrypt");
    var noKey =
        "-----BEGIN PRIVATE KEY-----\n%s\n-----END PRIVATE KEY-----\n"
            .formatted(Base64.getEncoder().encodeToString(new byte[40]));
    assertRefused(
        certificate,
        Files.writeString(folder.resolve("no.key"), noKey),
        authority,
        "cannot use the key",
        "no.key");
  }

  @Test
  void largeFileIsRefused() throws Exception {
    var large = Files.write(folder.resolve("large.pem"), new byte[2 << 20]);
    assertRefused(large, key, authority, "large.pem", "is larger than");
  }
}
