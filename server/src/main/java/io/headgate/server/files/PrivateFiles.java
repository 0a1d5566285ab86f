package io.headgate.server.files;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates files and directories that other users of the machine can't read: directories of mode
 * 0700, files of mode 0600. Does nothing to permissions on file systems without POSIX modes.
 */
public final class PrivateFiles {
  private static final Logger LOG = LoggerFactory.getLogger(PrivateFiles.class);
  private static final Set<PosixFilePermission> DIRECTORY =
      PosixFilePermissions.fromString("rwx------");
  private static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");

  /**
   * Creates a directory of mode 0700. An existing directory is restricted to that mode if {@code
   * own} is true and it is not the working directory.
   *
   * @param own whether the directory is used by this service only
   */
  public static void makeDirectory(Path directory, boolean own) throws IOException {
    if (!supportsModes(directory)) {
      Files.createDirectories(directory);
      return;
    }
    boolean existed = Files.isDirectory(directory);
    Files.createDirectories(directory, PosixFilePermissions.asFileAttribute(DIRECTORY));
    boolean isWorkingDirectory =
        directory.toAbsolutePath().normalize().equals(Path.of("").toAbsolutePath());
    if (existed && own && !isWorkingDirectory) restrict(directory, DIRECTORY);
  }

  /** Creates an empty file of mode 0600, or restricts an existing file to that mode. */
  public static void makeFile(Path file) throws IOException {
    if (!supportsModes(file)) return;
    if (Files.exists(file)) restrict(file, FILE);
    else Files.createFile(file, PosixFilePermissions.asFileAttribute(FILE));
  }

  /** Restricts a file to mode 0600, if it exists and is a regular file. */
  public static void restrict(Path file) throws IOException {
    if (supportsModes(file) && Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS))
      restrict(file, FILE);
  }

  private static void restrict(Path path, Set<PosixFilePermission> mode) throws IOException {
    var current = Files.getPosixFilePermissions(path);
    if (mode.containsAll(current)) return;
    Files.setPosixFilePermissions(path, mode);
    LOG.info(
        "restricted the permissions of {} from {} to {}",
        path,
        PosixFilePermissions.toString(current),
        PosixFilePermissions.toString(mode));
  }

  private static boolean supportsModes(Path path) throws IOException {
    var existing = path.toAbsolutePath();
    while (!Files.exists(existing) && existing.getParent() != null) existing = existing.getParent();
    return Files.getFileStore(existing).supportsFileAttributeView(PosixFileAttributeView.class);
  }

  private PrivateFiles() {}
}
