package io.headgate.benchmarks;

import io.headgate.benchmarks.adaptive.AdaptiveReport;
import io.headgate.benchmarks.cluster.ClusterFaults;
import io.headgate.benchmarks.cluster.ClusterSpeed;
import io.headgate.benchmarks.regions.RegionBenchmark;
import io.headgate.benchmarks.scale.ScaleReport;
import io.headgate.benchmarks.sizing.SizingReport;
import io.headgate.benchmarks.virtual.VirtualReport;
import java.time.Duration;
import java.util.Locale;

/** A part of the report, named as on the command line. */
enum Section {
  HOT_KEY("One hot key"),
  MANY_KEYS("A million keys"),
  MEMORY("Memory"),
  ALGORITHMS("Algorithms"),
  RULES("Many rules"),
  LOADING("Loading rules"),
  HTTP("HTTP"),
  REDIS("Redis"),
  OVERHEAD("Counting and replying"),
  ACCURACY("Accuracy"),
  VIRTUAL("Accuracy in virtual time"),
  ADAPTIVE("Adaptive limits"),
  REGIONS("Regions"),
  CLUSTER("Cluster"),
  CLUSTER_FAULTS("Failures of a cluster"),
  JAVA("Filter and client"),
  SIZING("Figures of the calculator"),
  SCALE("Scale");

  final String title;

  Section(String title) {
    this.title = title;
  }

  String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  static Section labelled(String label) {
    for (var section : values()) if (section.label().equals(label)) return section;
    throw new IllegalArgumentException("unknown section '%s'".formatted(label));
  }

  /** Runs the measurements and returns the report as Markdown. */
  String report(BenchmarkContext context) throws Exception {
    return switch (this) {
      case HOT_KEY -> HotKeyReport.report(context);
      case MANY_KEYS -> ManyKeys.report(context);
      case MEMORY -> Memory.report(context);
      case ALGORITHMS -> Algorithms.report(context);
      case RULES -> Rules.report(context);
      case LOADING -> Loading.report(context);
      case HTTP -> Http.report(context);
      case REDIS -> Redis.report(context);
      case OVERHEAD -> Overhead.report(context);
      case ACCURACY -> Accuracy.report(context);
      case VIRTUAL -> VirtualReport.report(context.progress(), context.effort() == Effort.FULL);
      case REGIONS ->
          RegionBenchmark.report(
              context.root().resolve("server/target/headgate.jar"),
              context.effort() == Effort.FULL);
      case JAVA -> JavaStack.report(context);
      case SIZING ->
          SizingReport.report(
              context.progress(),
              SizingReport.Pace.of(context.effort() == Effort.FULL),
              context.root().resolve(SizingReport.FIGURES),
              context.root().resolve("benchmarks/results/sizing.properties"));
      case SCALE ->
          ScaleReport.report(
              context.progress(),
              ScaleReport.Pace.of(context.effort() == Effort.FULL),
              context.root().resolve("server/target/headgate.jar"));
      case ADAPTIVE ->
          AdaptiveReport.report(
              context.root().resolve("benchmarks/results/adaptive.svg"),
              context.effort() == Effort.FULL);
      case CLUSTER ->
          ClusterSpeed.report(
              context.progress(),
              ClusterSpeed.Pace.of(context.effort() == Effort.FULL),
              context.root().resolve("server/target/headgate.jar"));
      case CLUSTER_FAULTS ->
          ClusterFaults.report(
              context.progress(),
              context.effort() == Effort.FULL
                  ? new ClusterFaults.Pace(Duration.ofSeconds(5), Duration.ofSeconds(20))
                  : new ClusterFaults.Pace(Duration.ofSeconds(2), Duration.ofSeconds(8)));
    };
  }
}
