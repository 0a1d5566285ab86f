package io.headgate.system.endurance;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * What a process holds at one moment, while it has no calls: its budgets and tables as metrics
 * report them, open files, threads, and the live objects of its heap by class.
 */
record Resources(Map<String, Long> values, Map<String, ClassUse> classes) {
  /** The live objects of one class. */
  record ClassUse(long count, long bytes) {
    static final ClassUse NONE = new ClassUse(0, 0);
  }

  /** A value that is not back at its start. */
  record Excess(String name, long start, long end, long allowed) {
    @Override
    public String toString() {
      return "%-60s %,14d %,14d %,14d".formatted(name, start, end, allowed);
    }
  }

  private static final String HEAP = "live heap, bytes";

  /** Gaps in the heap that its collector has left. */
  private static final String FILLER = "[Ljdk.internal.vm.FillerElement;";

  private static final String FILES = "open files";
  private static final String THREADS = "threads";
  private static final String CONNECTIONS = "headgate_budget_used{budget=\"connections\"}";

  /** Of the heap: 5%, and what caches and statistics of a minute may still add. */
  private static final double SHARE = 0.05;

  private static final long HEAP_BYTES = 1_000_000;
  private static final long FEW = 15;

  /** Compiler threads of the JVM come and go with the load. */
  private static final List<String> JVM_THREADS =
      List.of("C1 Compiler", "C2 Compiler", "GC Thread", "G1 ");

  /** Reads the metrics that report tables, files and threads; returns at once. */
  static Map<String, Long> gauges(int port, long pid) {
    var values = new TreeMap<String, Long>();
    try (var client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
      var uri = URI.create("http://127.0.0.1:%d/metrics".formatted(port));
      var body = client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString()).body();
      body.lines()
          .filter(Resources::isGauge)
          .forEach(line -> {
            int space = line.lastIndexOf(' ');
            values.put(line.substring(0, space), (long) Double.parseDouble(line.substring(space)));
          });
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
    values.put(FILES, count(Path.of("/proc/%d/fd".formatted(pid))));
    values.put(THREADS, threads(pid));
    return values;
  }

  private static boolean isGauge(String line) {
    return line.startsWith("headgate_budget_used")
        || line.startsWith("headgate_budget_refused")
        || line.startsWith("headgate_connections ")
        || line.startsWith("headgate_tracked_keys ")
        || line.startsWith("headgate_quota_buckets ")
        || line.startsWith("headgate_quota_streams ")
        || line.startsWith("headgate_breaker_state ");
  }

  private static long count(Path folder) {
    try (var entries = Files.list(folder)) {
      return entries.count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static long threads(long pid) {
    try (var tasks = Files.list(Path.of("/proc/%d/task".formatted(pid)))) {
      return tasks.filter(task -> !isOfJvm(task)).count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean isOfJvm(Path task) {
    try {
      var name = Files.readString(task.resolve("comm"));
      return JVM_THREADS.stream().anyMatch(name::startsWith);
    } catch (IOException e) {
      return true; // it has ended meanwhile
    }
  }

  /** Reads everything; collects the garbage of the process for that. */
  static Resources of(int port, long pid) {
    var classes = new TreeMap<String, ClassUse>();
    long bytes = 0;
    for (var line : histogram(pid)) {
      var fields = line.strip().split("\\s+", -1);
      if (fields.length < 4 || !fields[0].endsWith(":") || fields[3].equals(FILLER)) continue;
      var use = new ClassUse(Long.parseLong(fields[1]), Long.parseLong(fields[2]));
      classes.merge(
          fields[3],
          use,
          (one, other) -> new ClassUse(one.count + other.count, one.bytes + other.bytes));
      bytes += use.bytes;
    }
    if (classes.isEmpty()) throw new IllegalStateException("jcmd has listed no classes");
    var values = gauges(port, pid);
    values.put(HEAP, bytes);
    return new Resources(values, classes);
  }

  private static List<String> histogram(long pid) {
    var jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
    try {
      var process =
          new ProcessBuilder(
                  jcmd,
                  "-J-XX:TieredStopAtLevel=1",
                  "-J-XX:+UseSerialGC",
                  Long.toString(pid),
                  "GC.class_histogram")
              .redirectErrorStream(true)
              .start();
      try (var output = process.inputReader()) {
        var lines = output.lines().toList();
        if (!process.waitFor(60, TimeUnit.SECONDS) || process.exitValue() != 0) {
          throw new IllegalStateException("jcmd failed: " + String.join("\n", lines));
        }
        return lines;
      } finally {
        process.destroyForcibly();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Returns the use of the budgets, without their names. */
  List<Long> budgets() {
    return values.entrySet().stream()
        .filter(value -> value.getKey().startsWith("headgate_budget_used"))
        .map(Map.Entry::getValue)
        .toList();
  }

  long heap() {
    return values.getOrDefault(HEAP, 0L);
  }

  long files() {
    return values.getOrDefault(FILES, 0L);
  }

  long threads() {
    return values.getOrDefault(THREADS, 0L);
  }

  /**
   * Returns what is not back.
   *
   * @param objects how many more objects of one class there may be
   * @param bytes how many more bytes of the heap, beside the share and the caches of each run
   */
  List<Excess> excessOver(Resources start, long objects, long bytes) {
    var excess = new ArrayList<>(excess(start.values, values));
    long heap = (long) (start.heap() * SHARE) + start.heap() + HEAP_BYTES + bytes;
    if (heap() > heap) excess.add(new Excess(HEAP, start.heap(), heap(), heap));
    classes.forEach((name, use) -> {
      long before = start.classes.getOrDefault(name, ClassUse.NONE).count;
      long allowed = before + Math.max((long) (before * SHARE), objects);
      if (use.count > allowed) {
        excess.add(new Excess("objects of " + name, before, use.count, allowed));
      }
    });
    return excess;
  }

  /** Compares values, of which those of budgets must not have grown at all. */
  static List<Excess> excess(Map<String, Long> start, Map<String, Long> end) {
    var excess = new ArrayList<Excess>();
    end.forEach((name, value) -> {
      long before = start.getOrDefault(name, 0L);
      long allowed = before + allowance(name, before);
      if (value > allowed) excess.add(new Excess(name, before, value, allowed));
    });
    return excess;
  }

  private static long allowance(String name, long start) {
    return switch (name) {
      case HEAP -> Long.MAX_VALUE / 2; // compared apart
      // The Java client opens as many connections as it has calls at once.
      case FILES, THREADS, "headgate_connections", CONNECTIONS ->
          Math.max((long) (start * SHARE), FEW);
      case "headgate_tracked_keys" -> (long) (start * SHARE);
      default -> 0;
    };
  }

  /** Returns the classes whose objects have grown most, for the report of a failure. */
  List<String> grown(Resources start, int count) {
    return classes.entrySet().stream()
        .map(entry -> {
          var before = start.classes.getOrDefault(entry.getKey(), ClassUse.NONE);
          return new Excess(
              entry.getKey(),
              before.count,
              entry.getValue().count,
              entry.getValue().bytes - before.bytes);
        })
        .filter(growth -> growth.end > growth.start)
        .sorted(Comparator.comparingLong((Excess growth) -> growth.end - growth.start).reversed())
        .limit(count)
        .map(growth ->
            "%-60s %,12d more objects, %,12d bytes"
                .formatted(growth.name, growth.end - growth.start, growth.allowed))
        .toList();
  }
}
