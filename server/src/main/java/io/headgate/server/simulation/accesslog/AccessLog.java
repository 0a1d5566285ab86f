package io.headgate.server.simulation.accesslog;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headgate.rule.Request;
import io.headgate.rule.Subject;
import io.headgate.server.simulation.Arrival;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.zip.GZIPInputStream;

/**
 * Reads access logs line by line and converts each line to a request. Lines that cannot be read are
 * counted. Not thread-safe.
 */
public final class AccessLog {
  private static final int MAX_SAMPLES = 5;
  private static final int MAX_SHOWN = 60;
  private static final int GZIP = 0x1f8b;
  private static final int BUFFER_SIZE = 1 << 16;
  private static final String TOO_MANY_FIELDS =
      "has more fields used by the rules than a request may have: %d attributes, %d costs"
          .formatted(Subject.MAX_ATTRIBUTES, Request.MAX_NAMED_COSTS);

  /** The format of lines. */
  public enum Format {
    /** JSON if a line begins with a brace, otherwise combined, of which common is a prefix. */
    AUTO,
    COMMON,
    COMBINED,
    JSON
  }

  private final Attributes attributes;
  private final Format format;
  private final Consumer<Arrival> next;
  private final LineFormat plain;
  private final LineFormat json;
  private final LogLine line;
  private final List<String> samples = new ArrayList<>();
  private String source = "";
  private long read;
  private long unreadable;

  /**
   * @param withQuery whether the query is part of the path
   * @param next receives each request, in line order
   */
  public AccessLog(
      Attributes attributes, Format format, boolean withQuery, Consumer<Arrival> next) {
    this.attributes = attributes;
    this.format = format;
    this.next = next;
    var slots = attributes.slots();
    this.plain = new PlainFormat(slots, format != Format.COMMON, withQuery);
    this.json = new JsonFormat(slots, withQuery);
    this.line = new LogLine(slots.count());
  }

  /** Reads a log to its end. Detects gzip compression. */
  public void read(InputStream in) throws IOException {
    read(in, "");
  }

  /**
   * Reads one of several logs.
   *
   * @param name the name of the log in samples of unreadable lines
   */
  public void read(InputStream in, String name) throws IOException {
    source = name.isEmpty() ? "" : name + ", ";
    LineReader.read(decompressed(in), new LineHandler());
  }

  private static InputStream decompressed(InputStream in) throws IOException {
    var buffered = new BufferedInputStream(in, BUFFER_SIZE);
    buffered.mark(2);
    int magic = buffered.read() << 8 | buffered.read();
    buffered.reset();
    return magic == GZIP ? new GZIPInputStream(buffered, BUFFER_SIZE) : buffered;
  }

  private final class LineHandler implements LineReader.Handler {
    @Override
    public void line(byte[] bytes, int start, int to, long number) {
      int from = start;
      if (number == 1 && hasByteOrderMark(bytes, from, to)) from += 3;
      while (from < to && (bytes[from] == ' ' || bytes[from] == '\t')) from++;
      if (from == to) return;
      line.clear();
      var problem = formatOf(bytes[from]).read(bytes, from, to, line);
      var request = problem.isPresent() ? Optional.<Request>empty() : attributes.request(line);
      if (request.isEmpty()) {
        String shown = new String(bytes, from, Math.min(to - from, MAX_SHOWN), UTF_8);
        reject(number, problem.orElse(TOO_MANY_FIELDS), shown);
        return;
      }
      read++;
      next.accept(new Arrival(line.time.micros(), line.time.isCoarse(), request.get()));
    }

    @Override
    public void tooLong(long number) {
      reject(number, "is longer than %d bytes".formatted(LineReader.MAX_LENGTH), "");
    }

    /** Detects a UTF-8 byte order mark. */
    private boolean hasByteOrderMark(byte[] bytes, int from, int to) {
      return to - from >= 3
          && bytes[from] == (byte) 0xef
          && bytes[from + 1] == (byte) 0xbb
          && bytes[from + 2] == (byte) 0xbf;
    }
  }

  private LineFormat formatOf(byte first) {
    return switch (format) {
      case AUTO -> first == '{' ? json : plain;
      case COMMON, COMBINED -> plain;
      case JSON -> json;
    };
  }

  private void reject(long number, String problem, String shown) {
    unreadable++;
    if (samples.size() == MAX_SAMPLES) return;
    String why = "%sline %d: %s".formatted(source, number, problem);
    samples.add(shown.isEmpty() ? why : why + ": " + shown);
  }

  /** Returns the number of lines read. */
  public long lines() {
    return read;
  }

  /** Returns the number of lines that could not be read. */
  public long unreadable() {
    return unreadable;
  }

  /** Returns the first unreadable lines with the reason. */
  public List<String> samples() {
    return List.copyOf(samples);
  }

  /** Returns the attributes used by the rules that are present in no line. */
  public List<String> missing() {
    return attributes.missing();
  }
}
