/**
 * Where state lives. A {@link io.headgate.store.Store} runs a plan against the states it keeps,
 * atomically; it never decides whether a request is allowed.
 *
 * <p>Lives here: the contract of stores, the one that keeps state in this JVM's memory, and what
 * answers while one elsewhere is away. May not: arithmetic, matching, anything that knows a
 * network.
 */
@NullMarked
package io.headgate.store;

import org.jspecify.annotations.NullMarked;
