package io.headgate.server.cli.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.server.cli.output.CommandFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MaskKeyFileTest {
  @TempDir private Path folder;

  @Test
  void keyIsCreatedOnceAndReadableByItsOwnerOnly() throws IOException {
    var data = folder.resolve("data");
    byte[] key = MaskKeyFile.readOrCreate(data);
    assertThat(key).hasSize(32);
    assertThat(MaskKeyFile.readOrCreate(data)).isEqualTo(key);
    assertThat(MaskKeyFile.readOrCreate(folder.resolve("other"))).isNotEqualTo(key);
    var file = data.resolve(MaskKeyFile.NAME);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    try (var files = Files.list(data)) {
      assertThat(files).containsExactly(file);
    }
  }

  @Test
  void invalidKeyIsRejectedWithoutShowingIt() throws IOException {
    for (var content : new String[] {"", "0123", "not hexadecimal"}) {
      Files.writeString(folder.resolve(MaskKeyFile.NAME), content);
      assertThatThrownBy(() -> MaskKeyFile.readOrCreate(folder))
          .isInstanceOf(CommandFailure.class)
          .hasMessageContaining("64 hexadecimal digits")
          .hasMessageContaining(MaskKeyFile.NAME);
    }
  }

  @Test
  void unusableDirectoryIsReportedWithTheWayOut() throws IOException {
    var file = Files.createFile(folder.resolve("file"));
    assertThatThrownBy(() -> MaskKeyFile.readOrCreate(file))
        .isInstanceOf(CommandFailure.class)
        .hasMessageContaining("set --admin-token");
  }
}
