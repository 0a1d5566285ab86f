/**
 * The command line: {@code serve} starts the service, the other commands are clients of a running
 * service or work on rule files.
 *
 * <p>Contains options, configuration and command output. Must not contain limits, rules or HTTP
 * handlers.
 */
@NullMarked
package io.headgate.server.cli;

import org.jspecify.annotations.NullMarked;
