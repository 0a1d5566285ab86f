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
 * Keeps what the service stores from other users of the machine: directories of mode 0700, files of
 * mode 0600. Where the file system has no such modes nothing is done.
 */
public final class PrivateFiles {
  private static final Logger LOG = LoggerFactory.getLogger(PrivateFiles.class);
  private static final Set<PosixFilePermission> DIRECTORY =
      PosixFilePermissions.fromString("rwx------");
  private static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");

  /**
   * Makes a directory that only this user can enter. One that exists is closed to others if {@code
   * own} says that it is used for nothing else and it is not the working directory.
   */
  public static void makeDirectory(Path directory, boolean own) throws IOException {
    if (!hasModes(directory)) {
      Files.createDirectories(directory);
      return;
    }
    boolean existed = Files.isDirectory(directory);
    Files.createDirectories(directory, PosixFilePermissions.asFileAttribute(DIRECTORY));
    boolean shared = directory.toAbsolutePath().normalize().equals(Path.of("").toAbsolutePath());
    if (existed && own && !shared) tighten(directory, DIRECTORY);
  }

  /** Makes an empty file that only this user can read, or closes the one that is there. */
  public static void makeFile(Path file) throws IOException {
    if (!hasModes(file)) return;
    if (Files.exists(file)) tighten(file, FILE);
    else Files.createFile(file, PosixFilePermissions.asFileAttribute(FILE));
  }

  /** Closes a file to other users, if it is there. */
  public static void tighten(Path file) throws IOException {
    if (hasModes(file) && Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) tighten(file, FILE);
  }

  private static void tighten(Path path, Set<PosixFilePermission> mode) throws IOException {
    var now = Files.getPosixFilePermissions(path);
    if (mode.containsAll(now)) return;
    Files.setPosixFilePermissions(path, mode);
    LOG.info(
        "{} was open to other users ({}) and is now {}",
        path,
        PosixFilePermissions.toString(now),
        PosixFilePermissions.toString(mode));
  }

  private static boolean hasModes(Path path) throws IOException {
    var there = path.toAbsolutePath();
    while (!Files.exists(there) && there.getParent() != null) there = there.getParent();
    return Files.getFileStore(there).supportsFileAttributeView(PosixFileAttributeView.class);
  }

  private PrivateFiles() {}
}
