/**
 * Watching files for changes and creating private ones. Independent of the content of the files.
 */
@NullMarked
package io.headgate.server.files;

import org.jspecify.annotations.NullMarked;
