/**
 * Checks of the machine and of what a service needs there: Java, directories, the rules database,
 * the store and the port. Each check returns {@link io.headgate.server.cli.doctor.Finding}s, which
 * are printed with their advice.
 *
 * <p>Must not contain options. A check changes nothing; to test a directory it creates a file there
 * and deletes it.
 */
@NullMarked
package io.headgate.server.cli.doctor;

import org.jspecify.annotations.NullMarked;
