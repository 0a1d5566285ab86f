package io.headgate.benchmarks;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Recorded traffic: the time, instance and caller of each request. All modes get the same. */
public record RecordedArrivals(List<Arrival> arrivals) {
  /**
   * One request.
   *
   * @param at microseconds from the start
   */
  public record Arrival(int at, int instance, int caller) {}

  public RecordedArrivals {
    arrivals = arrivals.stream().sorted(Comparator.comparingInt(Arrival::at)).toList();
  }

  /** Returns the requests of one instance. */
  List<Arrival> of(int instance) {
    return arrivals.stream().filter(arrival -> arrival.instance == instance).toList();
  }

  void write(Path file) throws IOException {
    try (var out = new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file)))) {
      out.writeInt(arrivals.size());
      for (var arrival : arrivals) {
        out.writeInt(arrival.at);
        out.writeShort(arrival.instance);
        out.writeInt(arrival.caller);
      }
    }
  }

  static RecordedArrivals read(Path file) throws IOException {
    try (var in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
      int count = in.readInt();
      var arrivals = new ArrayList<Arrival>(count);
      for (int i = 0; i < count; i++) {
        arrivals.add(new Arrival(in.readInt(), in.readShort(), in.readInt()));
      }
      return new RecordedArrivals(arrivals);
    }
  }
}
