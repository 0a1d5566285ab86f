package io.headgate.server.callers;

import java.util.OptionalLong;

/**
 * A caller that a rule denied recently, or would have denied in shadow mode.
 *
 * @param sinceMillis the second of the first of these denials
 * @param atMillis the second of the last one
 * @param count the number of denials from the first to the last
 * @param shadow whether the last one was of shadow mode, and the request allowed
 * @param limit the name of the limit that refused in the last second: the rule's id or {@code
 *     rule/name}
 * @param retryAfterMillis as reported in that second; empty if waiting does not help
 */
public record RuleDenial(
    String caller,
    long sinceMillis,
    long atMillis,
    long count,
    boolean shadow,
    String limit,
    OptionalLong retryAfterMillis) {}
