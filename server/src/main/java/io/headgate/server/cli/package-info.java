/**
 * The command line: {@code serve} starts the service, the other commands ask a running one or look
 * at rules.
 *
 * <p>Lives here: options and where they come from, and how things are said to people. May not:
 * limits, rules, HTTP on the side of the service.
 */
@NullMarked
package io.headgate.server.cli;

import org.jspecify.annotations.NullMarked;
