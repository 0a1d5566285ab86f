/**
 * Drives the packaged program through connections that stay open for thousands of calls, and
 * compares what it holds at the end with what it held at the start.
 */
@NullMarked
package io.headgate.system.endurance;

import org.jspecify.annotations.NullMarked;
