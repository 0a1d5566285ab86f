/**
 * Executes plans on remote servers: commands are batched per hash slot, sent over a {@link
 * io.headgate.internal.script.ScriptConnection}, evaluated there by one program, the script, and
 * awaited until a deadline. The script is Lua in Redis and {@link
 * io.headgate.internal.script.ScriptInterpreter} in the members of a cluster. This package knows
 * neither: connections are in the modules of the stores.
 */
@NullMarked
package io.headgate.internal.script;

import org.jspecify.annotations.NullMarked;
