package io.headgate.server.trial.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headgate.server.trial.Arrival;
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
    Lines.read(unzipped(in), new Taker());
  }

  private static InputStream unzipped(InputStream in) throws IOException {
    var buffered = new BufferedInputStream(in, ROOM);
    buffered.mark(2);
    int magic = buffered.read() << 8 | buffered.read();
    buffered.reset();
    return magic == GZIP ? new GZIPInputStream(buffered, ROOM) : buffered;
  }

  private final class Taker implements Lines.Taker {
    @Override
    public void line(byte[] bytes, int start, int to, long number) {
      int from = start;
      if (number == 1 && isMarked(bytes, from, to)) from += 3;
      while (from < to && (bytes[from] == ' ' || bytes[from] == '\t')) from++;
      if (from == to) return;
      line.clear();
      var flaw = formatOf(bytes[from]).read(bytes, from, to, line);
      if (flaw.isPresent()) {
        refuse(number, flaw.get(), new String(bytes, from, Math.min(to - from, SHOWN), UTF_8));
        return;
      }
      read++;
      next.accept(new Arrival(line.time.micros(), line.time.isCoarse(), attributes.request(line)));
    }

    @Override
    public void tooLong(long number) {
      refuse(number, "is longer than %d bytes".formatted(Lines.LONGEST), "");
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
    samples.add(
        Optional.of(shown)
            .filter(text -> !text.isEmpty())
            .map(text -> "line %d: %s: %s".formatted(number, flaw, text))
            .orElse("line %d: %s".formatted(number, flaw)));
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
