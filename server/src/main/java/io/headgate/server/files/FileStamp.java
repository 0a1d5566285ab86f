package io.headgate.server.files;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import org.jspecify.annotations.Nullable;

/**
 * Identifies a version of a file without reading it: modification time, size and file key (the
 * inode, where there is one).
 */
public record FileStamp(FileTime modified, long size, @Nullable Object key) {
  /** Reads the current stamp of a file. */
  public static FileStamp of(Path file) throws IOException {
    var attributes = Files.readAttributes(file, BasicFileAttributes.class);
    return new FileStamp(attributes.lastModifiedTime(), attributes.size(), attributes.fileKey());
  }
}
