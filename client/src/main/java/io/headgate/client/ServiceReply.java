package io.headgate.client;

import java.net.http.HttpClient;

/**
 * A response of the service.
 *
 * @param status the HTTP status
 * @param version the version of HTTP that it came with
 * @param body all bytes of the body; not copied
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record ServiceReply(int status, HttpClient.Version version, byte[] body) {}
