/** The command line. Parses, calls, prints; no logic of its own. */
@NullMarked
package io.headgate.server.cli;

import org.jspecify.annotations.NullMarked;
