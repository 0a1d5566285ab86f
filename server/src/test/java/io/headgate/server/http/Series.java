package io.headgate.server.http;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** What {@code /metrics} says. */
record Series(Map<String, Double> values) {
  static Series of(RunningService service) {
    return parse(service.request("GET", "/metrics").body());
  }

  static Series parse(String page) {
    var values = new LinkedHashMap<String, Double>();
    page.lines()
        .filter(line -> !line.startsWith("#"))
        .forEach(line -> {
          int space = line.lastIndexOf(' ');
          values.put(line.substring(0, space), Double.valueOf(line.substring(space + 1)));
        });
    return new Series(values);
  }

  /** 0 where there is no such series. */
  double value(String series) {
    return values.getOrDefault(series, 0.0);
  }

  double decisions(String rule, String outcome, String source) {
    return value(
        "headgate_decisions_total{outcome=\"%s\",rule=\"%s\",source=\"%s\"}"
            .formatted(outcome, rule, source));
  }

  /** Without labels. */
  Set<String> names() {
    var names = new TreeSet<String>();
    for (var series : values.keySet()) names.add(series.replaceFirst("\\{.*", ""));
    return names;
  }
}
