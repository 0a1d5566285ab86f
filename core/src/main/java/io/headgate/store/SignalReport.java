package io.headgate.store;

import io.headgate.load.Setpoint;
import io.headgate.rule.Counter;

/**
 * A signal of one instance of a backend, for one rule.
 *
 * @param counter names the rule
 * @param key identifies the backend among those of the rule
 * @param setpoint the value at which the rule keeps the signal
 * @param reporter identifies the instance; from 0 to 2^53
 * @param value the signal
 * @param weight the weight of the instance among those of the backend
 * @param seed the seed of the backend's state if it has none yet; from 0 to 2^53
 */
public record SignalReport(
    Counter counter,
    String key,
    Setpoint setpoint,
    long reporter,
    double value,
    double weight,
    long seed) {}
