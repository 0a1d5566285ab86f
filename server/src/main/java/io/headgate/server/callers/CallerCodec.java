package io.headgate.server.callers;

import io.headgate.rule.Subject;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.function.ToDoubleFunction;

/** A list of callers as instances leave it for each other: the upper part of it, bounded. */
public final class CallerCodec {
  static final int MOST_BYTES = 64 * 1024;
  static final int MOST_OF_EACH = 150; // of those who ask most, and of those who are denied most

  private static final int VERSION = 1;
  private static final int MOST_RULES = 8;

  /** As many of the first as fit; the floor says what those may weigh that are left out. */
  public static byte[] encode(CallerList list) {
    var chosen = chosen(list);
    var bodies = new ByteArrayOutputStream();
    var written = new LinkedHashSet<CallerStats>();
    for (var caller : chosen) {
      byte[] body = bytes(out -> write(out, caller));
      if (bodies.size() + body.length > MOST_BYTES - 64) continue; // a shorter one may fit
      bodies.writeBytes(body);
      written.add(caller);
    }
    double floor = list.floor();
    for (var caller : list.callers()) {
      if (!written.contains(caller)) floor = Math.max(floor, caller.all());
    }
    double least = floor;
    return bytes(out -> {
      out.writeInt(VERSION);
      out.writeLong(list.atMillis());
      out.writeInt(list.tracked());
      out.writeDouble(least);
      out.writeDouble(list.total());
      out.writeInt(written.size());
      out.write(bodies.toByteArray());
    });
  }

  /** Those who ask most and those who are denied most, in turns: who comes late may not fit. */
  private static Set<CallerStats> chosen(CallerList list) {
    var asking = upper(list, CallerStats::all);
    var denied = upper(list, CallerStats::denied);
    var chosen = new LinkedHashSet<CallerStats>();
    for (int i = 0; i < MOST_OF_EACH; i++) {
      if (i < denied.size()) chosen.add(denied.get(i));
      if (i < asking.size()) chosen.add(asking.get(i));
    }
    return chosen;
  }

  private static List<CallerStats> upper(CallerList list, ToDoubleFunction<CallerStats> weight) {
    return list.callers().stream()
        .filter(caller -> weight.applyAsDouble(caller) > 0)
        .sorted(Comparator.comparingDouble(weight).reversed())
        .limit(MOST_OF_EACH)
        .toList();
  }

  /** What another instance has left; nothing if it can't be read. */
  public static Optional<CallerList> decode(byte[] bytes) {
    if (bytes.length > MOST_BYTES) return Optional.empty();
    try (var in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      if (in.readInt() != VERSION) return Optional.empty();
      long at = in.readLong();
      int tracked = bounded(in.readInt(), 2 * TopCallers.MOST);
      double floor = finite(in.readDouble());
      double total = finite(in.readDouble());
      int count = bounded(in.readInt(), 2 * MOST_OF_EACH);
      var callers = new ArrayList<CallerStats>(count);
      for (int i = 0; i < count; i++) callers.add(read(in));
      return Optional.of(new CallerList(at, 1, tracked, floor, total, callers));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private static void write(DataOutputStream out, CallerStats caller) throws IOException {
    out.writeUTF(caller.caller());
    out.writeByte(caller.subject().size());
    for (var attribute : caller.subject().entrySet()) {
      out.writeUTF(attribute.getKey());
      out.writeUTF(attribute.getValue());
    }
    out.writeDouble(caller.allowed());
    out.writeDouble(caller.denied());
    out.writeDouble(caller.perSecond());
    out.writeDouble(caller.deniedPerSecond());
    out.writeDouble(caller.burstRatio().orElse(0));
    out.writeLong(caller.sinceMillis());
    out.writeLong(caller.lastMillis());
    out.writeDouble(caller.error());
    out.writeByte(caller.rules().size());
    for (var rule : caller.rules()) out.writeUTF(rule);
  }

  private static CallerStats read(DataInputStream in) throws IOException {
    String caller = in.readUTF();
    Map<String, String> subject = new LinkedHashMap<>();
    int attributes = bounded(in.readUnsignedByte(), Subject.MOST_ATTRIBUTES);
    for (int i = 0; i < attributes; i++) subject.put(in.readUTF(), in.readUTF());
    double allowed = finite(in.readDouble());
    double denied = finite(in.readDouble());
    double perSecond = finite(in.readDouble());
    double deniedPerSecond = finite(in.readDouble());
    double burst = finite(in.readDouble());
    long since = in.readLong();
    long last = in.readLong();
    double error = finite(in.readDouble());
    List<String> rules = new ArrayList<>();
    int count = bounded(in.readUnsignedByte(), MOST_RULES);
    for (int i = 0; i < count; i++) rules.add(in.readUTF());
    return new CallerStats(
        caller,
        subject,
        allowed,
        denied,
        perSecond,
        deniedPerSecond,
        burst == 0 ? OptionalDouble.empty() : OptionalDouble.of(burst),
        since,
        last,
        error,
        rules);
  }

  private static int bounded(int number, int most) throws IOException {
    if (number >= 0 && number <= most) return number;
    throw new IOException("there can't be " + number);
  }

  private static double finite(double number) throws IOException {
    if (Double.isFinite(number) && number >= 0) return number;
    throw new IOException("no count is " + number);
  }

  /** Writes to memory, which does not fail. */
  private interface Writing {
    void to(DataOutputStream out) throws IOException;
  }

  private static byte[] bytes(Writing writing) {
    var bytes = new ByteArrayOutputStream();
    try (var out = new DataOutputStream(bytes)) {
      writing.to(out);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  private CallerCodec() {}
}
