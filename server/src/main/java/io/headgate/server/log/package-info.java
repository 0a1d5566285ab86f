/**
 * What is done to the log before it is written.
 *
 * <p>Lives here: filters of logback, named in {@code logback.xml}. May not: know of requests or
 * rules.
 */
@NullMarked
package io.headgate.server.log;

import org.jspecify.annotations.NullMarked;
