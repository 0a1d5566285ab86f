package io.headgate.server.callers;

/**
 * A caller with a decaying count of its checks.
 *
 * @param weight never too low
 * @param error by how much the weight may be too high
 */
public record CallerWeight(String caller, double weight, double error) {}
