package io.headgate.server.cli.output;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import org.jspecify.annotations.Nullable;

/** Describes input and output errors in words, without the names of exceptions. */
public final class SystemErrorText {
  /** Returns the reason, without the name of the file. */
  public static String of(IOException e) {
    return switch (e) {
      case NoSuchFileException missing -> "there is no such file";
      case FileNotFoundException missing -> "there is no such file";
      case AccessDeniedException denied -> "permission denied";
      case NotDirectoryException file -> "it is not a directory";
      case FileSystemException other -> orUnknown(other.getReason());
      case CharacterCodingException malformed -> "it is not text in UTF-8";
      default -> orUnknown(e.getMessage());
    };
  }

  /** Returns the failure of a command that can't read or write a file. */
  public static CommandFailure failure(Object file, IOException e) {
    return new CommandFailure(file + ": " + of(e));
  }

  private static String orUnknown(@Nullable String reason) {
    return reason == null || reason.isBlank() ? "the system gives no reason" : reason;
  }

  private SystemErrorText() {}
}
