/** Rules as YAML and JSON text. Knows the rule model; no server, no store. */
@NullMarked
package io.headgate.rulefile;

import org.jspecify.annotations.NullMarked;
