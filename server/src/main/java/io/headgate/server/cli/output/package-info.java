/**
 * Output of commands: tables, diffs, simulation reports, progress, and text that is safe to print
 * on a terminal.
 */
@NullMarked
package io.headgate.server.cli.output;

import org.jspecify.annotations.NullMarked;
