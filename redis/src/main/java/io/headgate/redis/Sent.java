package io.headgate.redis;

/**
 * How much has been asked of Redis.
 *
 * @param questions decisions, slices and reports
 * @param calls scripts run; what is asked at the same time goes in one
 */
public record Sent(long questions, long calls) {}
