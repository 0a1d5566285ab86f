-- Settles a reservation of one bucket or fixed window that nothing has changed since it was made, at no more than was
-- reserved. Returns false for all others, which reservation.lua handles; nothing is changed then.

-- Stores the record of a settled reservation; returns false if there is one.
local function record_settled(key, expires_at, index, used, charged, at, was_fresh)
  local text
  if charged == 0 then
    text = cmsgpack.pack(2, expires_at, index, used, 0, 0)
  else
    text = cmsgpack.pack(2, expires_at, index, used, 0, 1, charged, at, was_fresh)
  end
  if not sets_expiry then return call('SET', key, text, 'NX') end
  if expires_at < now then expires_at = now end
  return call('SET', key, text, 'NX', 'EXAT', math.ceil((expires_at + KEPT) / 1000000))
end

settle = function()
  local record, action, expires_at, ttl, count, index, k, l, used, more, reserved, at, was_fresh, same_limit =
    unpack(args, pos + 1, pos + 14)
  if action ~= 1 or count ~= 1 or same_limit ~= 1 or used > reserved or states[k] ~= nil then return false end
  local limit, target, key = limits[l], used < 0 and reserved or used, KEYS[k]
  local kind, permits = limit[1], limit[2]
  if now > expires_at + KEPT then return false end
  if not (kind == BUCKET and limit[7] == 0 or kind == FIXED and limit[4] > 0) then return false end
  local returns_k = args[pos + 18]
  local stored = redis.pcall('GET', key)
  if type(stored) ~= 'string' then return false end
  local history_text = call('GET', KEYS[returns_k])
  if history_text then
    returns = returns or define_returns()
    returns.decode(returns_k, history_text)
    if returns.is_reset(returns_k, at) then return false end
  end
  local stored_kind, first, second, third, fourth = cmsgpack.unpack(stored)
  if stored_kind ~= kind then return false end
  local before, left
  if kind == BUCKET then
    local period, refill_time, wait = limit[3], limit[6], first - now
    if third ~= refill_time or second >= permits or wait <= 0 or wait > refill_time then return false end
    -- The record is first: the return changes the history in place.
    if not record_settled(KEYS[record], expires_at, index, used, target, at, was_fresh) then return false end
    local cost, empty_at, slack, history = reserved - target, nil, nil, nil
    if cost > 0 then
      local units, left_units = cost * period, (was_fresh - 1 - now) * permits
      if not history_text and was_fresh == first and period >= permits and units <= left_units then
        -- Nothing was charged since, and nothing returned: returns.reduce would return the whole, without a history.
        empty_at, slack = first - math.floor(units / permits), second + units % permits
        if slack >= permits then empty_at, slack = empty_at - 1, slack - permits end
      else
        returns = returns or define_returns()
        empty_at, slack, history = returns.reduce(first, second, limit, cost, reserved, at, was_fresh, true, returns_k)
      end
    end
    before = math.floor((limit[4] - wait * permits + second) / period)
    left = before
    if empty_at then
      if history then returns.store(returns_k, history) end
      local expiry = expiry_for(empty_at, (empty_at - now) / 4, fourth)
      write(key, encode_bucket(empty_at, slack, refill_time, expiry), expiry, #stored, fourth)
      left = math.floor((limit[4] - (empty_at - now) * permits + slack) / period)
    end
  else
    local window_end, charged, length = first, second, limit[4]
    if third ~= permits or fourth ~= limit[3] or now >= window_end or charged > permits then return false end
    if at >= window_end or at < window_end - length then return false end
    local rest = charged - reserved + target
    if rest < 0 then return false end
    if not record_settled(KEYS[record], expires_at, index, used, target, at, was_fresh) then return false end
    before, left = permits - charged, permits - rest
    if rest < charged then
      local expiry = expiry_for(rest == 0 and 0 or window_end, 0)
      write(key, encode_fixed(window_end, rest, limit), expiry, #stored, expiry_for(window_end, 0))
    end
  end
  reply[n + 1], reply[n + 2], reply[n + 3], reply[n + 4] = 2, expires_at, 0, target
  reply[n + 5], reply[n + 6], reply[n + 7], reply[n + 8] = used + 1, left, before == 0 and left > 0 and 1 or 0, 0
  n, pos = n + 8, pos + 19
  return true
end
