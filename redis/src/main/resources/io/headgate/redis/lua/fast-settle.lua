-- Settles a reservation of one token bucket or fixed window that nothing has changed since it was made (SETTLE of
-- plan.lua). Returns false for all others, which reservation.lua handles; nothing is changed then.
--
-- A settlement reads the record of returns and resets only if it needs it. The second byte of a state, the MessagePack
-- type of its first number, is UNRETURNED if a settlement has found no such record, and TYPE otherwise. Both are read as
-- the same number, also by earlier versions. Charges of a bucket keep the byte; all else that writes the whole state sets
-- TYPE. A settlement that stores the record sets TYPE in the same call, and so does RESETTING.

-- Constants are locals of the function, since each local that a function shares costs every run of the script.

local record_second, record_expiry -- the expiry of the last record (s), and as text (ms)

settle = function(k, limit)
  local TYPE, UNRETURNED, floor, max = 0xcf, 0xd3, math.floor, math.max
  local args, p, now = args, pos, now -- a local is faster than an upvalue
  local used, reserved, at, was_fresh, expires_at = args[p + 4], args[p + 5], args[p + 6], args[p + 7], args[p + 8]
  if states[k] ~= nil or used > reserved or now > expires_at + KEPT then return false end
  local key, returns_k, kind, permits = KEYS[k], args[p + 9], limit[1], limit[2]
  local stored, stored_kind, first, second, third, fourth = get_text(key), nil, 0, 0, nil, nil
  if stored then
    if type(stored) ~= 'string' then return false end
    stored_kind, first, second, third, fourth = decode(stored)
    if stored_kind ~= kind then return false end
  end
  local charged = used < 0 and reserved or used
  local cost, wait, before, rest = reserved - charged, first - now, limit[5], nil
  if kind == BUCKET then
    if limit[7] > 0 or stored and (third ~= limit[6] or second >= permits or wait > third) then return false end
    if wait > 0 then before = max(0, floor((limit[4] - wait * permits + second) / limit[3])) end
  else
    local length = limit[4]
    if kind ~= FIXED or length == 0 then return false end
    if stored and (third ~= permits or fourth ~= limit[3] or second > permits) then return false end
    before = permits
    if wait > 0 then
      before, rest = permits - second, second - cost
      if at >= first or at < first - length or rest < 0 then return false end
    end
  end
  local tag, history_text
  local changes = cost > 0 and wait > 0 -- otherwise time has returned all, or nothing is to return
  if changes then
    tag = stored:byte(2)
    history_text = tag ~= UNRETURNED and call('GET', KEYS[returns_k])
    if history_text then
      returns = returns or define_returns()
      returns.decode(returns_k, history_text)
      if returns.is_reset(returns_k, at) then return false end
    end
  end

  -- The record is first: the return changes the history in place. It needs no times of a charge that is final.
  local text
  if used > 0 and used < 4294967296 then -- the fields of cmsgpack below, each number in four bytes after 0xce
    text = pack('>I2I8I6I7I2', 0x02cf, expires_at, 884763262976 + used, 1984274890752 + used, 0)
  elseif charged > 0 then
    text = cmsgpack.pack(2, expires_at, 0, used, 0, 1, charged, 0, 0)
  else
    text = cmsgpack.pack(2, expires_at, 0, used, 0, 0)
  end
  local record, is_first = KEYS[args[p + 1]], nil
  if sets_expiry then
    local expiry = (expires_at > now and expires_at or now) + KEPT + 999999
    expiry = (expiry - expiry % 1000000) / 1000000
    if expiry ~= record_second then record_second, record_expiry = expiry, string.format('%d000', expiry) end
    is_first = call('SET', record, text, 'NX', 'PXAT', record_expiry)
  else
    is_first = call('SET', record, text, 'NX')
  end
  if not is_first then return false end

  local left = before
  if changes then
    local next_state, slack, history = rest, nil, nil
    if kind == BUCKET then
      local period = limit[3]
      local units = cost * period
      if not history_text and was_fresh == first and period >= permits and units <= (was_fresh - 1 - now) * permits then
        -- Nothing was charged since, and nothing returned: returns.reduce would return the whole, without a history.
        next_state, slack = first - floor(units / permits), second + units % permits
        if slack >= permits then next_state, slack = next_state - 1, slack - permits end
      else
        returns = returns or define_returns()
        returns.decode(returns_k, history_text) -- so that it is not read again
        next_state, slack, history = returns.reduce(first, second, limit, cost, reserved, at, was_fresh, true, returns_k)
      end
    end
    local mark = nil -- stays as it is
    if history then
      returns.store(returns_k, history)
      mark = TYPE
    elseif tag == TYPE and not history_text then
      mark = UNRETURNED
    end
    if kind == FIXED then
      local window_end, count, l = first, rest, 7 * args[p + 3] - 3
      if rest < 128 and second >= 128 then stored = nil end
      --include store-fixed
      left = permits - rest
    elseif next_state then
      local empty_at, refill_time, previous_slack, previous_expiry = next_state, third, second, fourth
      --include store-bucket
      left = max(0, floor((limit[4] - (next_state - now) * permits + slack) / limit[3]))
    end
  end
  reply[n + 1], reply[n + 2] = before == 0 and left > 0 and 5 or 4, left
  n, pos = n + 2, p + 10
  return true
end
