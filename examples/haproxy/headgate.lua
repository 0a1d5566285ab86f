-- Checks a request with Headgate.
--   http-request lua.headgate http://127.0.0.1:8080/v1/gate allow|deny

local TIMEOUT_MS = 1000
-- Less than the timeout: a request that would wait longer in a queue is denied.
local MAX_WAIT_MS = "500"
-- With a check token: "Bearer …"
local AUTHORIZATION = nil

local QUOTA_EXCEEDED =
  '{"type":"https://iana.org/assignments/http-problem-types#quota-exceeded","title":"Quota exceeded","status":%d}'
local BAD_REQUEST = '{"type":"about:blank","title":"Bad Request","status":400}'
local UNAVAILABLE = '{"type":"about:blank","title":"Service Unavailable","status":503}'

local function first(headers, name)
  local values = headers and headers[name]
  return values and values[0]
end

-- Only HAProxy's own values: the client could name another's key or address.
local function check_headers(txn)
  local headers = {
    ["x-real-ip"] = { txn.sf:src() },
    ["x-original-uri"] = { txn.sf:url() },
    ["x-original-method"] = { txn.sf:method() },
    ["x-headgate-deny-status"] = { "403" },
    ["x-headgate-max-wait-ms"] = { MAX_WAIT_MS },
  }
  local host = first(txn.http:req_get_headers(), "host")
  if host then headers["x-original-host"] = { host } end
  if AUTHORIZATION then headers["authorization"] = { AUTHORIZATION } end
  return headers
end

local function refuse(txn, status, reason, body, headers)
  headers["content-type"] = { "application/problem+json" }
  headers["cache-control"] = { "no-store" }
  txn:done(txn:reply({ status = status, reason = reason, headers = headers, body = body }))
end

local function check(txn, url)
  local client = core.httpclient()
  return client:get({ url = url, headers = check_headers(txn), timeout = TIMEOUT_MS })
end

core.register_action("headgate", { "http-req" }, function(txn, url, on_failure)
  local ok, response = pcall(check, txn, url)
  local status = ok and response and response.status or 0
  local headers = ok and response and response.headers or {}
  local policy, limit = first(headers, "ratelimit-policy"), first(headers, "ratelimit")

  if status == 204 then
    if policy then txn:set_var("txn.headgate_policy", policy) end
    if limit then txn:set_var("txn.headgate_limit", limit) end
    return
  end

  local denied = tonumber(first(headers, "x-headgate-status"))
  if status == 403 and denied then
    local shown = {}
    if policy then shown["ratelimit-policy"] = { policy } end
    if limit then shown["ratelimit"] = { limit } end
    local retry = first(headers, "retry-after")
    if retry then shown["retry-after"] = { retry } end
    refuse(txn, denied, "Quota Exceeded", QUOTA_EXCEEDED:format(denied), shown)
  elseif status >= 400 and status < 500 and status ~= 401 and status ~= 403 then
    refuse(txn, 400, "Bad Request", BAD_REQUEST, {})
  elseif on_failure ~= "allow" or status == 401 or status == 403 then -- a wrong token must be noticed
    refuse(txn, 503, "Service Unavailable", UNAVAILABLE, { ["retry-after"] = { "1" } })
  end
end, 2)
