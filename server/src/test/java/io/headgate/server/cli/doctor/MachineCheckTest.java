package io.headgate.server.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.server.http.transport.ConnectionLimits;
import org.junit.jupiter.api.Test;

class MachineCheckTest {
  private static final int MB = 1 << 20;

  @Test
  void heapThatAllowsFewerConnectionsThanConfiguredIsReported() {
    assertThat(MachineCheck.java(ConnectionLimits.DEFAULT, 256L * MB))
        .anySatisfy(finding -> {
          assertThat(finding.level()).isEqualTo(Finding.Level.WARNING);
          assertThat(finding.text())
              .isEqualTo(
                  "a heap of 256 MB allows 4096 connections, fewer than --max-connections 10000");
          assertThat(finding.advice().orElseThrow()).contains("-Xmx", "--max-connections");
        });
  }

  @Test
  void heapThatAllowsTheConfiguredConnectionsIsNotReported() {
    assertThat(MachineCheck.java(ConnectionLimits.DEFAULT, 1024L * MB))
        .noneMatch(finding -> finding.topic().equals("heap"));
  }
}
