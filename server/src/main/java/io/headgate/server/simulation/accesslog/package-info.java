/**
 * Conversion of access logs to requests. Start at {@link
 * io.headgate.server.simulation.accesslog.AccessLog}.
 *
 * <p>Contains the line formats and the mapping of fields to attributes. Makes no decisions and
 * keeps only the current line in memory. A log may have a billion lines, so lines are processed as
 * bytes, and strings are created only for fields that rules use.
 */
@NullMarked
package io.headgate.server.simulation.accesslog;

import org.jspecify.annotations.NullMarked;
