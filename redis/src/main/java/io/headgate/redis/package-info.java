/**
 * The store that keeps counters in Redis, shared by any number of instances.
 *
 * <p>Lettuce is used in this package and its subpackages only. The Lua scripts of this module run
 * the arithmetic of a plan on the server, with the server's clock. A plan is evaluated atomically
 * there; the Java code does not decide whether a request is allowed.
 */
@NullMarked
package io.headgate.redis;

import org.jspecify.annotations.NullMarked;
