/**
 * Generates the pictures and tables of the documentation with the real limits. Not part of the
 * product.
 */
@NullMarked
package io.headgate.docs;

import org.jspecify.annotations.NullMarked;
