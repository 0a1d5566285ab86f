package io.headgate.rulefile;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** The text of a file, if it is one: bounded, and in UTF-8. */
final class FileTextReader {
  static Optional<String> read(Path file, ProblemCollector problems) throws IOException {
    byte[] bytes;
    try (var in = Files.newInputStream(file)) {
      bytes = in.readNBytes(DocumentParser.LONGEST + 1);
    }
    if (bytes.length > DocumentParser.LONGEST) {
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
