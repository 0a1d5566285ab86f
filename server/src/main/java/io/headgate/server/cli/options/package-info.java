/**
 * Command-line options in groups, and their values from the environment and the configuration file.
 */
@NullMarked
package io.headgate.server.cli.options;

import org.jspecify.annotations.NullMarked;
