package io.headgate.benchmarks.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.headgate.benchmarks.ProgressLog;
import io.headgate.testkit.net.MemberNetwork;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Separates one of three members by a real network partition, under load. */
@Timeout(300)
class PartitionTest {
  @Test
  void minorityDoesNotDecideAndNoChargeIsLost(@TempDir Path directory) throws Exception {
    assumeTrue(
        MemberNetwork.isPermitted(),
        "a partition needs network namespaces, which need root and the command ip");
    var pace = new ClusterFaults.Pace(Duration.ofSeconds(1), Duration.ofSeconds(5));
    var run = ClusterFaults.partition(new ProgressLog(), pace, directory);
    assertThat(run.errors()).isZero();
    assertThat(run.admitted().scarce()).isPositive().isLessThanOrEqualTo(run.bound());
    assertThat(run.chargesLost()).isZero();
    // The member on its own decided by policy.
    assertThat(run.phases().get(1).fallback()).isPositive();
  }
}
