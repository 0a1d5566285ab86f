package io.headgate.rulefile;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Reads a file of bounded length as strict UTF-8. */
final class FileTextReader {
  /**
   * Reads a file.
   *
   * @return the text, or empty if the file is too long or not UTF-8; the reason is then among the
   *     problems
   * @throws IOException if the file cannot be read
   */
  static Optional<String> read(Path file, ProblemCollector problems) throws IOException {
    byte[] bytes;
    try (var in = Files.newInputStream(file)) {
      bytes = in.readNBytes(DocumentParser.MAX_LENGTH + 1);
    }
    if (bytes.length > DocumentParser.MAX_LENGTH) {
      problems.add(SourcePosition.START, "", DocumentParser.tooLong());
      return Optional.empty();
    }
    return decode(bytes, problems);
  }

  private static Optional<String> decode(byte[] bytes, ProblemCollector problems) {
    var source = ByteBuffer.wrap(bytes);
    var text = CharBuffer.allocate(bytes.length);
    var result = StandardCharsets.UTF_8.newDecoder().decode(source, text, true);
    text.flip();
    if (!result.isError()) return Optional.of(text.toString());
    problems.add(
        SourcePosition.after(text),
        "",
        "the byte 0x%02x here is not UTF-8; save the file in that encoding"
            .formatted(bytes[source.position()]));
    return Optional.empty();
  }

  private FileTextReader() {}
}
