package io.headgate.server.rules.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DatabaseAddressTest {
  private static final Path HOME = Path.of("/home/headgate");

  @Test
  void relativePathIsResolvedAgainstTheDirectory() {
    var address = DatabaseAddress.parse("h2:./headgate-data/headgate", HOME);
    assertThat(address.file()).hasValue(HOME.resolve("headgate-data/headgate"));
    assertThat(address.displayName()).isEqualTo("h2:./headgate-data/headgate");
    assertThat(address.jdbc()).startsWith("jdbc:h2:file:/home/headgate/headgate-data/headgate;");
  }

  @Test
  void credentialsAreRemovedFromTheAddress() {
    var address =
        DatabaseAddress.parse(
            "postgresql://me:p%40ss+w@db.example:5433/rules?sslmode=require", HOME);
    assertThat(address.jdbc()).isEqualTo("jdbc:postgresql://db.example:5433/rules?sslmode=require");
    assertThat(address.user()).isEqualTo("me");
    assertThat(address.password()).isEqualTo("p@ss+w");
    assertThat(address).hasToString("postgresql://db.example:5433/rules");
  }

  @ParameterizedTest
  @CsvSource({"my_db", "my_db:5432", "[::1]:5432", "127.0.0.1"})
  void hostMayContainAnUnderscore(String host) {
    var address = DatabaseAddress.parse("postgresql://me:s3cret@%s/rules".formatted(host), HOME);
    assertThat(address.displayName()).isEqualTo("postgresql://" + host + "/rules");
    assertThat(address.password()).isEqualTo("s3cret");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "mysql://u:s3cret@x/y        | it must be h2:PATH or",
        "h2:                         | must be followed by the path of a file",
        "h2:x;INIT=RUNSCRIPT         | without ';'",
        "postgresql://u:s3cret@x     | must have a host and a database",
        "postgresql://u:5/s3cret@x/y | in a password write %40 for @, %2F for /",
        "postgresql://u:5/s3cret?@x/y | in a password write",
        "postgresql://u:5/s3cret#@x/y | in a password write",
        "postgresql://u:s3/cret@x/y  | in a password write",
        "postgresql://u:s3cret@x y/z | in a password write %40 for @"
      })
  void errorsDoNotContainThePassword(String text, String message) {
    assertThatThrownBy(() -> DatabaseAddress.parse(text, HOME))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message)
        .satisfies(e -> assertThat(e.getMessage()).doesNotContain("s3cret"));
  }
}
