-- Charges a rolling window that rolling-evaluate.lua has evaluated.

if is_packed then
  local text, index = stored, first
  --include append-request
else
  local next_total = total + cost
  -- Members of one microsecond sort as texts, so they need the same length: see rolling-window.lua.
  if time == last and #string.format('%.0f', total) < #string.format('%.0f', next_total) then time = time + 1 end
  local member = cost == 1 and string.format('%.0f', next_total) or string.format('%.0f:%.0f', next_total, cost)
  call('ZADD', key, string.format('%d', time), member)
  if has_expired and total % REMOVED_EVERY + cost >= REMOVED_EVERY then
    local expired = call('ZCOUNT', key, 0, time - window)
    call('ZREMRANGEBYRANK', key, 1, expired < MAX_REMOVED and expired or MAX_REMOVED)
  end
  -- An expiry is 3 s later than necessary (see ttl in general.lua), so charges within RENEWED µs of each other need one.
  if sets_expiry and last - last % RENEWED ~= time - time % RENEWED then
    call('PEXPIRE', key, math.max(1, math.ceil((time + window - now) / 1000)) + 3000)
  end
end
