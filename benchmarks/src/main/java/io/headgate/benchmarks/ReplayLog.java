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
 * What one instance saw.
 *
 * @param uncertainty how far its clock may be from Redis', in microseconds
 * @param cpu nanoseconds that its process used meanwhile
 * @param questions asked of Redis, in so many {@code calls}
 */
record ReplayLog(
    int uncertainty, long cpu, long questions, long calls, int fallbacks, List<Entry> entries) {
  /**
   * A request.
   *
   * @param asked when, by Redis' clock, in microseconds
   * @param took nanoseconds until it was answered
   * @param late microseconds after its time
   */
  record Entry(int caller, long asked, long took, int late, boolean allowed) {}

  void write(Path file) throws IOException {
    try (var out = new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file)))) {
      out.writeInt(uncertainty);
      out.writeLong(cpu);
      out.writeLong(questions);
      out.writeLong(calls);
      out.writeInt(fallbacks);
      out.writeInt(entries.size());
      for (var entry : entries) {
        out.writeInt(entry.caller);
        out.writeLong(entry.asked);
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
      long questions = in.readLong();
      long calls = in.readLong();
      int fallbacks = in.readInt();
      int count = in.readInt();
      var entries = new ArrayList<Entry>(count);
      for (int i = 0; i < count; i++) {
        entries.add(
            new Entry(in.readInt(), in.readLong(), in.readLong(), in.readInt(), in.readBoolean()));
      }
      return new ReplayLog(uncertainty, cpu, questions, calls, fallbacks, entries);
    }
  }
}
