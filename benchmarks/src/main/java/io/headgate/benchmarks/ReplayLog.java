package io.headgate.benchmarks;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The log of one instance.
 *
 * @param uncertainty the uncertainty of its clock relative to Redis', in microseconds
 * @param cpu the CPU time of its process, in nanoseconds
 * @param commands the number of commands sent to Redis, in {@code calls} script calls
 */
record ReplayLog(
    int uncertainty, long cpu, long commands, long calls, int fallbacks, List<Entry> entries) {
  /**
   * A request.
   *
   * @param requestedAt the time of the request by Redis' clock, in microseconds
   * @param took the time until its reply, in nanoseconds
   * @param late the delay behind its recorded time, in microseconds
   */
  record Entry(int caller, long requestedAt, long took, int late, boolean allowed) {}

  void write(Path file) throws IOException {
    try (var out = new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file)))) {
      out.writeInt(uncertainty);
      out.writeLong(cpu);
      out.writeLong(commands);
      out.writeLong(calls);
      out.writeInt(fallbacks);
      out.writeInt(entries.size());
      for (var entry : entries) {
        out.writeInt(entry.caller);
        out.writeLong(entry.requestedAt);
        out.writeLong(entry.took);
        out.writeInt(entry.late);
        out.writeBoolean(entry.allowed);
      }
    }
  }

  static ReplayLog read(Path file) throws IOException {
    try (var in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
      int uncertainty = in.readInt();
      long cpu = in.readLong();
      long commands = in.readLong();
      long calls = in.readLong();
      int fallbacks = in.readInt();
      int count = in.readInt();
      var entries = new ArrayList<Entry>(count);
      for (int i = 0; i < count; i++) {
        entries.add(
            new Entry(in.readInt(), in.readLong(), in.readLong(), in.readInt(), in.readBoolean()));
      }
      return new ReplayLog(uncertainty, cpu, commands, calls, fallbacks, entries);
    }
  }
}
