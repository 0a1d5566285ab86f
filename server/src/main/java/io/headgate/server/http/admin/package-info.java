/** The endpoints that read and change rules and revisions. */
@NullMarked
package io.headgate.server.http.admin;

import org.jspecify.annotations.NullMarked;
