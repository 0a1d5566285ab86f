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

/**
 * Binary encoding of a list of callers, exchanged between instances. Bounded to {@value #MAX_BYTES}
 * bytes: only the top of a long list is encoded.
 */
public final class CallerCodec {
  static final int MAX_BYTES = 64 * 1024;
  static final int MAX_PER_ORDER = 150; // of the busiest callers, and of the most denied ones

  private static final int VERSION = 1;
  private static final int MAX_RULES = 8;

  /**
   * Encodes as many top callers as fit. The floor is raised to the largest weight of the callers
   * left out.
   */
  public static byte[] encode(CallerList list) {
    var chosen = chosen(list);
    var bodies = new ByteArrayOutputStream();
    var written = new LinkedHashSet<CallerStats>();
    for (var caller : chosen) {
      byte[] body = bytes(out -> write(out, caller));
      if (bodies.size() + body.length > MAX_BYTES - 64) continue; // a shorter one may fit
      bodies.writeBytes(body);
      written.add(caller);
    }
    double floor = list.floor();
    for (var caller : list.callers()) {
      if (!written.contains(caller)) floor = Math.max(floor, caller.all());
    }
    double raised = floor;
    return bytes(out -> {
      out.writeInt(VERSION);
      out.writeLong(list.atMillis());
      out.writeInt(list.tracked());
      out.writeDouble(raised);
      out.writeDouble(list.total());
      out.writeInt(written.size());
      out.write(bodies.toByteArray());
    });
  }

  /**
   * Returns the busiest and the most denied callers alternately, since the last ones may not fit.
   */
  private static Set<CallerStats> chosen(CallerList list) {
    var busiest = top(list, CallerStats::all);
    var denied = top(list, CallerStats::denied);
    var chosen = new LinkedHashSet<CallerStats>();
    for (int i = 0; i < MAX_PER_ORDER; i++) {
      if (i < denied.size()) chosen.add(denied.get(i));
      if (i < busiest.size()) chosen.add(busiest.get(i));
    }
    return chosen;
  }

  private static List<CallerStats> top(CallerList list, ToDoubleFunction<CallerStats> weight) {
    return list.callers().stream()
        .filter(caller -> weight.applyAsDouble(caller) > 0)
        .sorted(Comparator.comparingDouble(weight).reversed())
        .limit(MAX_PER_ORDER)
        .toList();
  }

  /** Decodes a list, or returns empty if the bytes are invalid. */
  public static Optional<CallerList> decode(byte[] bytes) {
    if (bytes.length > MAX_BYTES) return Optional.empty();
    try (var in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      if (in.readInt() != VERSION) return Optional.empty();
      long at = in.readLong();
      int tracked = bounded(in.readInt(), 2 * TopCallers.MAX_CALLERS);
      double floor = finite(in.readDouble());
      double total = finite(in.readDouble());
      int count = bounded(in.readInt(), 2 * MAX_PER_ORDER);
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
    int attributes = bounded(in.readUnsignedByte(), Subject.MAX_ATTRIBUTES);
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
    int count = bounded(in.readUnsignedByte(), MAX_RULES);
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

  private static int bounded(int number, int max) throws IOException {
    if (number >= 0 && number <= max) return number;
    throw new IOException("count out of range: " + number);
  }

  private static double finite(double number) throws IOException {
    if (Double.isFinite(number) && number >= 0) return number;
    throw new IOException("not a valid weight: " + number);
  }

  /** Writes to a buffer in memory, which does not fail. */
  private interface Encoder {
    void encode(DataOutputStream out) throws IOException;
  }

  private static byte[] bytes(Encoder encoder) {
    var bytes = new ByteArrayOutputStream();
    try (var out = new DataOutputStream(bytes)) {
      encoder.encode(out);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  private CallerCodec() {}
}
