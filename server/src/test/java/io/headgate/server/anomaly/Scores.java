package io.headgate.server.anomaly;

import io.headgate.server.anomaly.SyntheticTraffic.Fault;
import io.headgate.server.anomaly.SyntheticTraffic.Injected;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Scores a detector on synthetic traffic: faults found, time to detection, and false alarms. */
final class Scores {
  // Seconds after a fault in which an alarm still belongs to it.
  private static final long AFTERMATH = 600;

  final Map<Fault, Integer> injected = new EnumMap<>(Fault.class);
  final Map<Fault, List<Long>> found = new EnumMap<>(Fault.class); // seconds to detection
  final List<String> falseAlarms = new ArrayList<>(); // alarms without a fault
  int opened;
  int days;

  void run(SyntheticTraffic traffic) {
    var detector = new AnomalyDetector(traffic.start());
    var alarms = new ArrayList<Anomaly>();
    long end = traffic.start() + traffic.days() * SyntheticTraffic.DAY;
    for (long second = traffic.start(); second < end; second += SyntheticTraffic.STEP) {
      for (var change : detector.observe(traffic.at(second))) {
        if (change.isOpen()) alarms.add(change);
      }
    }
    days += traffic.days();
    opened += alarms.size();
    for (var fault : traffic.faults()) score(fault, alarms);
    for (var alarm : alarms) {
      long at = alarm.sinceMillis() / 1_000;
      boolean real =
          traffic.faults().stream().anyMatch(f -> at >= f.from() && at <= f.to() + AFTERMATH);
      if (!real) falseAlarms.add(at + " " + alarm.kind() + " " + alarm.text());
    }
  }

  private void score(Injected fault, List<Anomaly> alarms) {
    injected.merge(fault.fault(), 1, Integer::sum);
    alarms.stream()
        .filter(alarm -> alarm.sinceMillis() / 1_000 >= fault.from())
        .filter(alarm -> alarm.sinceMillis() / 1_000 <= fault.to() + 30)
        .filter(alarm -> fits(fault.fault(), alarm))
        .mapToLong(alarm -> alarm.sinceMillis() / 1_000 - fault.from() + 1)
        .min()
        .ifPresent(took -> found.computeIfAbsent(fault.fault(), f -> new ArrayList<>()).add(took));
  }

  private static boolean fits(Fault fault, Anomaly alarm) {
    return switch (fault) {
      case SPIKE, STEP, RAMP, DROP -> alarm.kind() == Anomaly.Kind.RATE && alarm.caller().isEmpty();
      case DENIALS -> alarm.kind() == Anomaly.Kind.DENIALS;
      case BUSY_CALLER -> alarm.kind() == Anomaly.Kind.RATE && alarm.caller().isPresent();
      case NEW_CALLER -> alarm.kind() == Anomaly.Kind.NEW_CALLER;
    };
  }

  int found(Fault fault) {
    return found.getOrDefault(fault, List.of()).size();
  }

  double recall() {
    int all = injected.values().stream().mapToInt(Integer::intValue).sum();
    int hits = found.values().stream().mapToInt(List::size).sum();
    return (double) hits / all;
  }

  double precision() {
    return opened == 0 ? 1 : 1 - (double) falseAlarms.size() / opened;
  }

  long percentile(Fault fault, double share) {
    var times = found.getOrDefault(fault, List.of()).stream().sorted().toList();
    return times.isEmpty() ? -1 : times.get((int) Math.min(times.size() - 1, share * times.size()));
  }
}
