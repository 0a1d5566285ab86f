package io.headgate.cluster.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.tangosol.net.RequestTimeoutException;
import com.tangosol.net.ServiceStoppedException;
import java.net.BindException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class JoinFailureTest {
  static Stream<RuntimeException> failuresOfTheGrid() {
    return Stream.of(
        new RequestTimeoutException("Timeout during service start"),
        new NullPointerException(),
        new ServiceStoppedException(),
        new IllegalStateException("Service HeadgateCounters has been terminated"),
        new RuntimeException("Failed to start Service \"Cluster\" (ServiceState=SERVICE_STOPPED)"));
  }

  @ParameterizedTest
  @MethodSource("failuresOfTheGrid")
  void failureOfTheGridItselfIsTransient(RuntimeException failure) {
    assertThat(JoinFailure.isTransient(failure)).isTrue();
    assertThat(JoinFailure.isTransient(new RuntimeException("wrapped", failure))).isTrue();
  }

  @Test
  void portInUseIsNotTransient() {
    var failure = new RuntimeException("cannot bind", new BindException("Address already in use"));
    assertThat(JoinFailure.isTransient(failure)).isFalse();
  }
}
