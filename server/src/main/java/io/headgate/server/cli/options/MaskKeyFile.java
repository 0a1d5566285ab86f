package io.headgate.server.cli.options;

import io.headgate.server.cli.output.CommandFailure;
import io.headgate.server.files.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * The file with the key of masked callers, in the data directory: 64 hexadecimal digits. Used
 * without an admin token, so that masked names stay the same after a restart.
 */
final class MaskKeyFile {
  static final String NAME = "mask-callers.key";

  private static final int KEY_BYTES = 32;

  /**
   * Reads the key, and creates the file with a random one if there is none.
   *
   * @throws CommandFailure if the file can't be read or written, or is not valid
   */
  static byte[] readOrCreate(Path data) {
    var file = data.resolve(NAME);
    try {
      if (!Files.exists(file)) create(data, file);
      byte[] key = HexFormat.of().parseHex(Files.readString(file).strip());
      if (key.length == KEY_BYTES) return key;
      throw invalid(file);
    } catch (IllegalArgumentException e) {
      throw invalid(file);
    } catch (IOException e) {
      throw new CommandFailure(
          "--mask-callers needs a key, and %s can't be used (%s); set --admin-token, or make the directory writable"
              .formatted(file, e));
    }
  }

  private static void create(Path data, Path file) throws IOException {
    PrivateFiles.makeDirectory(data, true);
    var key = new byte[KEY_BYTES];
    new SecureRandom().nextBytes(key);
    var written = Files.createTempFile(data, NAME, ".new");
    try {
      Files.writeString(written, HexFormat.of().formatHex(key) + "\n");
      Files.move(written, file, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(written);
    }
  }

  private static CommandFailure invalid(Path file) {
    return new CommandFailure(
        "%s is not valid: the key of masked callers has 64 hexadecimal digits; delete the file to get a new one"
            .formatted(file));
  }

  private MaskKeyFile() {}
}
