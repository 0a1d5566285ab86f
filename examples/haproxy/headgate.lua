-- Checks a request with Headgate.
--   http-request lua.headgate http://127.0.0.1:8080/v1/gate allow|deny

-- How long to wait for a connection, and then for the decision.
local CONNECT_TIMEOUT_MS = 50
local TIMEOUT_MS = 1000
-- Less than TIMEOUT_MS: a request that would wait longer in a queue is denied.
local MAX_WAIT_MS = "500"
-- With a check token: "Bearer …"
local AUTHORIZATION = nil

local QUOTA_EXCEEDED =
  '{"type":"https://iana.org/assignments/http-problem-types#quota-exceeded","title":"Quota exceeded","status":%d}'
local FORBIDDEN = '{"type":"about:blank","title":"Forbidden","status":403}'
local BAD_REQUEST = '{"type":"about:blank","title":"Bad Request","status":400}'
local UNAVAILABLE = '{"type":"about:blank","title":"Service Unavailable","status":503}'

-- A circuit breaker: after a failed check no request waits, until a call in the background succeeds.
local PROBE_MS = 500
local unavailable = {} -- the URLs whose last call failed

-- Only HAProxy's own values: the client could name another's key or address.
local function check_headers(txn)
  local headers = {
    ["x-real-ip"] = txn.sf:src(),
    ["x-original-uri"] = txn.sf:url(),
    ["x-original-method"] = txn.sf:method(),
    ["x-headgate-deny-status"] = "403",
    ["x-headgate-max-wait-ms"] = MAX_WAIT_MS,
  }
  local host = txn.http:req_get_headers()["host"]
  if host then headers["x-original-host"] = host[0] end
  return headers
end

local function refuse(txn, status, reason, body, headers)
  headers["content-type"] = { "application/problem+json" }
  headers["cache-control"] = { "no-store" }
  txn:done(txn:reply({ status = status, reason = reason, headers = headers, body = body }))
end

-- Returns the status and the headers of the response, or nil. HAProxy's own HTTP client would attempt
-- a refused connection three times, a second apart.
local function get(url, headers)
  local address, port, path = url:match("^http://%[?([^/]-)%]?:(%d+)(/.*)$")
  if not address then error("the URL must be like http://127.0.0.1:8080/v1/gate: " .. url) end
  local lines = { "GET " .. path .. " HTTP/1.1", "host: " .. address, "connection: close" }
  if AUTHORIZATION then headers["authorization"] = AUTHORIZATION end
  for name, value in pairs(headers) do lines[#lines + 1] = name .. ": " .. value end
  local socket = core.tcp()
  socket:settimeout(CONNECT_TIMEOUT_MS / 1000)
  local response = nil
  if socket:connect(address, tonumber(port)) then
    socket:settimeout(TIMEOUT_MS / 1000)
    if socket:send(table.concat(lines, "\r\n") .. "\r\n\r\n") then
      local status = (socket:receive("*l") or ""):match("^HTTP/1%.%d (%d%d%d)")
      local received = {}
      local line = status and socket:receive("*l")
      while line and line:find("%S") do
        local name, value = line:match("^([^:]+):%s*(.-)%s*$")
        if name then received[name:lower()] = value end
        line = socket:receive("*l")
      end
      if line then response = { status = tonumber(status), headers = received } end
    end
  end
  socket:close()
  return response
end

local function is_answered(response) return response and response.status < 500 end

core.register_task(function()
  while true do
    core.msleep(PROBE_MS)
    for url in pairs(unavailable) do
      -- A cost of 0 charges nothing.
      local ok, response = pcall(get, url, { ["x-headgate-cost"] = "0" })
      if ok and is_answered(response) then unavailable[url] = nil end
    end
  end
end)

local function check(txn, url)
  if unavailable[url] then return nil end
  local response = get(url, check_headers(txn))
  if not is_answered(response) then unavailable[url] = true end
  return response
end

core.register_action("headgate", { "http-req" }, function(txn, url, on_failure)
  local ok, response = pcall(check, txn, url)
  if not ok then txn:Warning("headgate: " .. tostring(response)) end
  local status = ok and response and response.status or 0
  local headers = ok and response and response.headers or {}
  local policy, limit = headers["ratelimit-policy"], headers["ratelimit"]

  if status == 204 then
    if policy then txn:set_var("txn.headgate_policy", policy) end
    if limit then txn:set_var("txn.headgate_limit", limit) end
    return
  end

  local denied = tonumber(headers["x-headgate-status"])
  if status == 403 and denied then
    local shown = {}
    if policy then shown["ratelimit-policy"] = { policy } end
    if limit then shown["ratelimit"] = { limit } end
    local retry = headers["retry-after"]
    if retry then shown["retry-after"] = { retry } end
    if denied == 403 then -- a rule with limit: deny
      refuse(txn, denied, "Forbidden", FORBIDDEN, shown)
    elseif denied == 400 then -- a path that applications read in different ways
      refuse(txn, denied, "Bad Request", BAD_REQUEST, {})
    else
      refuse(txn, denied, "Quota Exceeded", QUOTA_EXCEEDED:format(denied), shown)
    end
  elseif status >= 400 and status < 500 and status ~= 401 and status ~= 403 then
    refuse(txn, 400, "Bad Request", BAD_REQUEST, {})
  elseif on_failure ~= "allow" or status == 401 or status == 403 then -- a wrong token must be noticed
    refuse(txn, 503, "Service Unavailable", UNAVAILABLE, { ["retry-after"] = { "1" } })
  end
end, 2)
