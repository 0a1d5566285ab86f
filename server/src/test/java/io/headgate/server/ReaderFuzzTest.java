package io.headgate.server;

import io.headgate.server.api.AddressFuzzTarget;
import io.headgate.server.grpc.DescriptorsFuzzTarget;
import io.headgate.server.grpc.ReservationRequestsFuzzTarget;
import io.headgate.server.http.check.ForwardAuthHeadersFuzzTarget;
import io.headgate.server.http.check.JsonBodyFuzzTarget;
import io.headgate.server.simulation.accesslog.AccessLogFuzzTarget;
import io.headgate.testkit.Fuzzer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Brief runs of the fuzz targets of the service; {@code ./fuzz} runs each for longer. */
class ReaderFuzzTest {
  @ParameterizedTest
  @ValueSource(
      classes = {
        AccessLogFuzzTarget.class,
        AddressFuzzTarget.class,
        DescriptorsFuzzTarget.class,
        ForwardAuthHeadersFuzzTarget.class,
        JsonBodyFuzzTarget.class,
        ReservationRequestsFuzzTarget.class
      })
  void everySeedIsReadOrRejectedAsDocumented(Class<?> target) {
    Fuzzer.checkSeeds(target);
  }

  @Test
  void everyMutatedInputIsReadOrRejectedAsDocumented() {
    Fuzzer.check(ReadersFuzzTarget.class);
  }
}
