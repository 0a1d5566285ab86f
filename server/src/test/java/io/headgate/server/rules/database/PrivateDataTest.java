package io.headgate.server.rules.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.server.http.LogCapture;
import io.headgate.server.rules.ExampleRules;
import io.headgate.server.rules.SeedFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that other users of the machine cannot read the stored rules. */
class PrivateDataTest {
  @TempDir Path folder;

  private DatabaseRuleRepository open() {
    var settings =
        new DatabaseRuleRepository.Settings(
            DatabaseAddress.parse("h2:data/headgate", folder),
            folder.resolve("data/last-good-rules.json"),
            Duration.ofSeconds(1),
            Optional.empty(),
            InstantSource.system());
    return DatabaseRuleRepository.open(settings, new Seed(ExampleRules.rules(), SeedFile.EXAMPLES));
  }

  private void assertPrivate() throws IOException {
    var data = folder.resolve("data");
    assertThat(mode(data)).isEqualTo("rwx------");
    try (var files = Files.list(data)) {
      assertThat(files)
          .isNotEmpty()
          .allSatisfy(file -> assertThat(mode(file)).as(file.toString()).isEqualTo("rw-------"));
    }
  }

  private static String mode(Path path) {
    try {
      return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void filesAreCreatedPrivateAndExistingOnesAreRestricted() throws IOException {
    open().close();
    assertPrivate();

    var data = folder.resolve("data");
    try (var files = Files.list(data)) {
      for (var file : files.toList()) {
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
      }
    }
    Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwxr-xr-x"));
    try (var log = new LogCapture("io.headgate.server.files.PrivateFiles").withInfo()) {
      open().close();
      assertThat(log.text())
          .contains("data from rwxr-xr-x to rwx------")
          .contains("headgate.mv.db from rw-r--r-- to rw-------");
    }
    assertPrivate();
  }
}
