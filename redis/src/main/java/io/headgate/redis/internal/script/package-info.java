/**
 * Commands to the Redis script: encoding, batching, deadlines, plans that span slots, and the
 * denial cache. Not part of the public API.
 */
@NullMarked
package io.headgate.redis.internal.script;

import org.jspecify.annotations.NullMarked;
