package io.headgate.store;

import io.headgate.limit.TokenBucket;
import io.headgate.load.SignalKind;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The drop level of one backend under one rule, as this instance applies it.
 *
 * @param rule the id of the rule
 * @param backend the values of the rule's {@code per} attributes; empty if the rule has one level
 * @param level the share of all requests that is dropped, from 0 to 1
 * @param kind the figure that the rule follows
 * @param target the target of the figure: a share, or a time in milliseconds
 * @param value the combined signal at the last report: a share, or a time in milliseconds
 * @param reporters the number of instances of the backend that it was combined of
 * @param age the time since the last report; empty if there was none
 * @param shares by priority the share of the requests that is dropped, except for heavy callers; in
 *     the order of the policy, so the first is dropped last
 * @param tuned the limit that applies at this level, if the level is that of a rate which follows
 *     the signal; empty if requests are dropped
 */
public record BackendLevel(
    String rule,
    String backend,
    double level,
    SignalKind kind,
    double target,
    double value,
    int reporters,
    Optional<Duration> age,
    List<Double> shares,
    Optional<TokenBucket> tuned) {
  /** Copies the list. */
  public BackendLevel {
    shares = List.copyOf(shares);
  }
}
