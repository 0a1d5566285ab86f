/**
 * Output of commands: tables, diffs, simulation reports, progress, and escaping of untrusted text
 * for terminals.
 */
@NullMarked
package io.headgate.server.cli.output;

import org.jspecify.annotations.NullMarked;
