package io.headgate.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks that no message contains a secret, even if an option is misspelled or malformed. */
class SecretsInMessagesTest extends Shell {
  private static final String SECRET = "S3CRETs3cret";

  private void assertRefusedWithoutTheSecret() {
    assertThat(code).isEqualTo(2);
    assertThat(err).startsWith("headgate: ");
    assertThat(out + err).doesNotContainIgnoringCase("s3cret");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "admin-token: \"@",
        "admin-token: '@",
        "admin-token: [@",
        "admin-token: *@",
        "admin-token: !@ x",
        "admin-token: &@",
        "admin-token: @: @",
        "admin-token: \"@\\q\"",
        "admin-token: |@",
        "admin-token: {a: @}",
        "admin-token @: x",
        "admin-token @",
        "@: 1",
        "store: [redis://u:@@h]",
        "database: {postgresql: //u:@@h/d}",
        "token: [[@]]",
        "webhook-secret: [@]",
        "webhook: [https://h/@]",
        "url: [http://u:@@h]",
        "otlp-endpoint: [http://u:@@h]",
      })
  void configurationFileIsNotQuoted(String text) throws IOException {
    Files.writeString(folder.resolve("headgate.yaml"), text.replace("@", SECRET));
    run("serve");
    assertRefusedWithoutTheSecret();
    assertThat(err).contains("headgate.yaml");
  }

  @Test
  void positionOfTheErrorIsPrinted() throws IOException {
    Files.writeString(folder.resolve("headgate.yaml"), "port: 1\nadmin-token: \"" + SECRET);
    run("serve");
    assertThat(err).contains("headgate.yaml:2:14: is not valid YAML; check quotes");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "redis-cluster://u:@",
        "redis-cluster://u:@/x@h:1",
        "redis://@?x@127.0.0.1:1",
        "redis://u:@/x@127.0.0.1:1",
        "redis://:@#x@127.0.0.1:1",
        "redis-sentinel://u:@/x@127.0.0.1:1#name",
        "redis://u:@%zz@h",
      })
  void storeAddressIsNotPrinted(String address) {
    run("serve", "--store", address.replaceFirst("@", SECRET));
    assertRefusedWithoutTheSecret();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://u:@@127.0.0.1:1",
        "https://127.0.0.1:1/@",
        "https://127.0.0.1:1/?token=@",
        "http://u:@%zz@127.0.0.1:1",
        "http://127.0.0.1:1 @",
      })
  void homeAddressIsNotPrinted(String address) {
    var home = address.replaceFirst("@", SECRET);
    run("serve", "--region", "eu", "--store", "redis://127.0.0.1:1", "--home", home);
    assertRefusedWithoutTheSecret();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "h2:x;PASSWORD=@",
        "postgresql://127.0.0.1:1/x?user=u&password=@",
        "postgresql://127.0.0.1:99999/x?password=@",
        "postgresql://127.0.0.1:0/x?password=@",
        "postgresql://u:@/x@127.0.0.1:1/d",
        "postgresql://u:@%zz@127.0.0.1:1/d",
        "postgresql://u:@@127.0.0.1:1/x?sslmode=nonsense",
        "postgresql://u:@",
      })
  void databaseAddressIsNotPrinted(String address) {
    run("serve", "--database", address.replaceFirst("@", SECRET));
    assertRefusedWithoutTheSecret();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"--admin-tokn=@", "--tokn=@", "--webhook-secrt=@", "-store=redis://u:@@h"})
  void valueOfAMisspelledOptionIsNotPrinted(String option) {
    run("serve", option.replaceFirst("@", SECRET));
    assertRefusedWithoutTheSecret();
  }

  @ParameterizedTest
  @ValueSource(strings = {"http://u:@@127.0.0.1:1", "u:@@h", "ftp://u:@@h"})
  void serviceUrlIsPrintedWithoutItsPassword(String url) {
    run("check", "user:7", "--url", url.replaceFirst("@", SECRET));
    assertRefusedWithoutTheSecret();
    run("rules", "list", "--url", url.replaceFirst("@", SECRET));
    assertRefusedWithoutTheSecret();
  }
}
