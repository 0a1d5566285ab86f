package io.headgate.server;

import io.headgate.server.api.AddressFuzzTarget;
import io.headgate.server.grpc.DescriptorsFuzzTarget;
import io.headgate.server.grpc.ReservationRequestsFuzzTarget;
import io.headgate.server.http.check.ForwardAuthHeadersFuzzTarget;
import io.headgate.server.http.check.JsonBodyFuzzTarget;
import io.headgate.server.simulation.accesslog.AccessLogFuzzTarget;
import java.util.Arrays;

/**
 * All fuzz targets of the service in one, for brief runs: a start of Jazzer takes seven seconds of
 * CPU. The first byte of an input selects the target that reads the rest.
 */
public final class ReadersFuzzTarget {
  private ReadersFuzzTarget() {}

  /** Reads one input; throws if the oracle of the selected target fails. */
  public static void fuzzerTestOneInput(byte[] input) throws Exception {
    if (input.length == 0) return;
    var rest = Arrays.copyOfRange(input, 1, input.length);
    switch (input[0]) {
      case '0' -> AccessLogFuzzTarget.fuzzerTestOneInput(rest);
      case '1' -> AddressFuzzTarget.fuzzerTestOneInput(rest);
      case '2' -> DescriptorsFuzzTarget.fuzzerTestOneInput(rest);
      case '3' -> ForwardAuthHeadersFuzzTarget.fuzzerTestOneInput(rest);
      case '4' -> ReservationRequestsFuzzTarget.fuzzerTestOneInput(rest);
      default -> JsonBodyFuzzTarget.fuzzerTestOneInput(rest);
    }
  }
}
