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

/** Reads logs, a line at a time, and makes a request of each. What can't be read is counted. */
public final class AccessLog {
  private static final int MOST_SAMPLES = 5;
  private static final int SHOWN = 60;
  private static final int GZIP = 0x1f8b;
  private static final int ROOM = 1 << 16;
  private static final String TOO_MUCH =
      "has more of what rules look at than a request can: %d attributes, %d costs"
          .formatted(Subject.MOST_ATTRIBUTES, Request.MOST_COSTS);

  /** How lines are written. */
  public enum Format {
    /** JSON where a line begins with a brace, else combined, of which common is the beginning. */
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
   * @param withQuery whether what follows the question mark is part of a path
   * @param next is given each request, in the order of the lines
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

  /** Reads to the end, also what is compressed by gzip. */
  public void read(InputStream in) throws IOException {
    read(in, "");
  }

  /**
   * As {@link #read(InputStream)}, of one log among several.
   *
   * @param name what to call it where a line of it can't be read
   */
  public void read(InputStream in, String name) throws IOException {
    source = name.isEmpty() ? "" : name + ", ";
    LineReader.read(unzipped(in), new Taker());
  }

  private static InputStream unzipped(InputStream in) throws IOException {
    var buffered = new BufferedInputStream(in, ROOM);
    buffered.mark(2);
    int magic = buffered.read() << 8 | buffered.read();
    buffered.reset();
    return magic == GZIP ? new GZIPInputStream(buffered, ROOM) : buffered;
  }

  private final class Taker implements LineReader.Taker {
    @Override
    public void line(byte[] bytes, int start, int to, long number) {
      int from = start;
      if (number == 1 && isMarked(bytes, from, to)) from += 3;
      while (from < to && (bytes[from] == ' ' || bytes[from] == '\t')) from++;
      if (from == to) return;
      line.clear();
      var flaw = formatOf(bytes[from]).read(bytes, from, to, line);
      var request = flaw.isPresent() ? Optional.<Request>empty() : attributes.request(line);
      if (request.isEmpty()) {
        String shown = new String(bytes, from, Math.min(to - from, SHOWN), UTF_8);
        refuse(number, flaw.orElse(TOO_MUCH), shown);
        return;
      }
      read++;
      next.accept(new Arrival(line.time.micros(), line.time.isCoarse(), request.get()));
    }

    @Override
    public void tooLong(long number) {
      refuse(number, "is longer than %d bytes".formatted(LineReader.LONGEST), "");
    }

    /** Some editors begin a file with a mark of its encoding. */
    private boolean isMarked(byte[] bytes, int from, int to) {
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

  private void refuse(long number, String flaw, String shown) {
    unreadable++;
    if (samples.size() == MOST_SAMPLES) return;
    String why = "%sline %d: %s".formatted(source, number, flaw);
    samples.add(shown.isEmpty() ? why : why + ": " + shown);
  }

  /** How many lines were read. */
  public long lines() {
    return read;
  }

  public long unreadable() {
    return unreadable;
  }

  /** The first lines that could not be read, and why. */
  public List<String> samples() {
    return List.copyOf(samples);
  }

  /** Attributes that rules look at and that no line had. */
  public List<String> missing() {
    return attributes.missing();
  }
}
