package io.headgate.server.cli.bench;

import java.util.Map;
import java.util.Optional;
import org.HdrHistogram.Histogram;

/**
 * The figures of a load.
 *
 * @param nanos from the first request to the last reply
 * @param failed requests without a decision
 * @param sources the number of decisions by their source
 * @param firstFailure why the first failed request failed
 * @param micros the latencies of decisions, in microseconds; under an open loop from the time at
 *     which a request was due, so that a slow reply counts for the requests that it held up
 */
public record LoadResult(
    long nanos,
    long allowed,
    long denied,
    long failed,
    Map<String, Long> sources,
    Optional<String> firstFailure,
    Histogram micros) {

  /** Returns the number of requests. */
  public long requests() {
    return allowed + denied + failed;
  }

  /** Returns the decisions per second. */
  public double perSecond() {
    return nanos == 0 ? 0 : (allowed + denied) * 1e9 / nanos;
  }
}
