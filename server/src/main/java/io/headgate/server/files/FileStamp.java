package io.headgate.server.files;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import org.jspecify.annotations.Nullable;

/** What tells one version of a file from another without reading it. */
public record FileStamp(FileTime modified, long size, @Nullable Object key) {
  public static FileStamp of(Path file) throws IOException {
    var attributes = Files.readAttributes(file, BasicFileAttributes.class);
    return new FileStamp(attributes.lastModifiedTime(), attributes.size(), attributes.fileKey());
  }
}
