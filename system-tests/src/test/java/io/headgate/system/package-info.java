/**
 * Tests of the packaged program in processes of its own: the jar, the distribution, two instances
 * with a real Redis. Tests of classes of the server are in the server's module.
 */
@NullMarked
package io.headgate.system;

import org.jspecify.annotations.NullMarked;
