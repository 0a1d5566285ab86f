package io.headgate.kotlin

import io.headgate.Decision

/**
 * Thrown instead of running a block whose request was denied. Nothing was charged.
 *
 * @property decision the decision, with the retry time
 */
public class RequestDeniedException(@Transient public val decision: Decision) :
    RuntimeException("the request was denied: $decision")
