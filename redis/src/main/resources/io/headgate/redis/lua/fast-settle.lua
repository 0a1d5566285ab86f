-- Settles a reservation of one token bucket or fixed window that nothing has changed since it was made (SETTLE of
-- plan.lua). Returns false for all others, which reservation.lua handles; nothing is changed then.
--
-- A settlement reads the record of returns and resets only if it needs it. The second byte of a text, the MessagePack type
-- of its first number, is UNRETURNED if this file has found that there is no such record, and 0xcf otherwise. Both
-- are read as the same number, also by earlier versions. A charge keeps the byte or writes 0xcf. So does a settlement
-- that stores the record, in the same call, and RESETTING. A counter that was deleted has lost the byte.

local UNRETURNED = 0xd3
local byte, floor = string.byte, math.floor
local record_second, record_expiry -- the expiry of the last record (s), and as text (ms)

settle = function(k, limit)
  local args, p, now = args, pos, now -- a local is faster than an upvalue
  local used, reserved, at, was_fresh, expires_at = args[p + 4], args[p + 5], args[p + 6], args[p + 7], args[p + 8]
  if states[k] ~= nil or now > expires_at + KEPT then return false end
  local key, returns_k, kind, permits = KEYS[k], args[p + 9], limit[1], limit[2]
  local stored, stored_kind, first, second, third, fourth = pcall('GET', key), nil, 0, 0, nil, nil
  if stored then
    if type(stored) ~= 'string' then return false end
    stored_kind, first, second, third, fourth = decode(stored)
    if stored_kind ~= kind then return false end
  end
  local charged = used < 0 and reserved or used
  local cost, wait, before, rest = reserved - charged, first - now, limit[5], 0
  if kind == BUCKET then
    if limit[7] ~= 0 or stored and (third ~= limit[6] or second >= permits or wait > third) then return false end
    if wait > 0 then before = floor((limit[4] - wait * permits + second) / limit[3]) end
  else
    local length = limit[4]
    if kind ~= FIXED or length == 0 then return false end
    if stored and (third ~= permits or fourth ~= limit[3] or second > permits) then return false end
    before, rest = permits, second - cost
    if wait > 0 then
      if at >= first or at < first - length or rest < 0 then return false end
      before = permits - second
    end
  end
  -- If time has returned all permits, or nothing is to return, the counter stays as it is.
  local changes, tag, history_text = cost > 0 and wait > 0, nil, nil
  if changes then
    tag = byte(stored, 2)
    history_text = tag ~= UNRETURNED and call('GET', KEYS[returns_k])
    if history_text then
      returns = returns or define_returns()
      returns.decode(returns_k, history_text)
      if returns.is_reset(returns_k, at) then return false end
    end
  end

  -- The record is first: the return changes the history in place. The times of a charge that is final are not needed.
  local text
  if used > 0 and used < 4294967296 then -- the bytes are those of cmsgpack, with numbers of four bytes after 0xce
    text = pack('>I2I8I6I7I2', 0x02cf, expires_at, 884763262976 + used, 1984274890752 + used, 0)
  elseif charged > 0 then
    text = cmsgpack.pack(2, expires_at, 0, used, 0, 1, charged, 0, 0)
  else
    text = cmsgpack.pack(2, expires_at, 0, used, 0, 0)
  end
  local is_first
  if sets_expiry then
    local second_after = (expires_at > now and expires_at or now) + KEPT + 999999
    second_after = (second_after - second_after % 1000000) / 1000000
    if second_after ~= record_second then
      record_second, record_expiry = second_after, format('%d000', second_after)
    end
    is_first = call('SET', KEYS[args[p + 1]], text, 'NX', 'PXAT', record_expiry)
  else
    is_first = call('SET', KEYS[args[p + 1]], text, 'NX')
  end
  if not is_first then return false end

  local left = before
  if not changes then
    -- nothing to write
  elseif kind == BUCKET then
    local period, empty_at, slack, history = limit[3], nil, nil, nil
    local units = cost * period
    if not history_text and was_fresh == first and period >= permits and units <= (was_fresh - 1 - now) * permits then
      -- Nothing was charged since, and nothing returned: returns.reduce would return the whole, without a history.
      empty_at, slack = first - floor(units / permits), second + units % permits
      if slack >= permits then empty_at, slack = empty_at - 1, slack - permits end
    else
      returns = returns or define_returns()
      empty_at, slack, history = returns.reduce(first, second, limit, cost, reserved, at, was_fresh, true, returns_k)
    end
    if empty_at then
      if history then returns.store(returns_k, history) end
      local next_tag, expiry = (history or history_text) and 0xcf or UNRETURNED, nil
      expiry = expiry_for(empty_at, (empty_at - now) / 4, fourth)
      if expiry ~= fourth or #stored ~= 25 or second >= 128 or slack >= 128 then
        set(key, encode_bucket(empty_at, slack, third, expiry), expiry)
      elseif tag == next_tag then
        call('SETRANGE', key, '2', pack('>I8B', empty_at, slack))
      else
        call('SETRANGE', key, '1', pack('>BI8B', next_tag, empty_at, slack))
      end
      left = floor((limit[4] - (empty_at - now) * permits + slack) / period)
    end
  else
    left = permits - rest
    local is_small = second < 128
    if rest == 0 or tag ~= 0xcf and tag ~= UNRETURNED or not is_small and (rest < 128 or byte(stored, 11) ~= 0xce) then
      set(key, encode_fixed(first, rest, limit), expiry_for(rest == 0 and 0 or first, 0))
    elseif history_text or tag == UNRETURNED then
      call('SETRANGE', key, is_small and '10' or '11', is_small and char(rest) or pack('>I4', rest))
    else
      call('SETRANGE', key, '1', pack(is_small and '>BI8B' or '>BI8BI4', UNRETURNED, first, is_small and rest or 0xce, rest))
    end
  end
  reply[n + 1], reply[n + 2] = before == 0 and left > 0 and 5 or 4, left
  n, pos = n + 2, p + 10
  return true
end
