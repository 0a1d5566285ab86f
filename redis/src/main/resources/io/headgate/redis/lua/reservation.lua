-- Reservations: charges that are corrected when the client reports usage, settles, or does not return. Mirrors
-- ReservationStep.java and Ledger.java. The function is defined when a batch first has a reservation.
--
--   record  stored beside the counters under a key of its own: status (OPEN, SETTLED or EXPIRED), expires_at (µs), then
--           for each counter that an operation has changed its index, the used permits (-1: not reported), the permits
--           that updates have added, the number of pieces, and for each piece its amount, the time of the charge and the
--           time at which the counter would be fresh without later charges (µs), oldest first
--   ledger  used, grown, pieces

local UNKNOWN, OPEN, SETTLED, EXPIRED = 0, 1, 2, 3
local UPDATE, SETTLING = 0, 1
local USED, USED_OR_RESERVED, RESERVED = 0, 1, 2
local MAX_PIECES, UNREPORTED = 8, -1
local floor, ceil, max, min = math.floor, math.ceil, math.max, math.min
holds = holds or define_holds()
returns = returns or define_returns()

local function total(ledger)
  local sum = 0
  for _, piece in ipairs(ledger.pieces) do sum = sum + piece[1] end
  return sum
end

local function add_piece(ledger, amount, state)
  local pieces = ledger.pieces
  local charges = state[1] == HELD and state.state or state -- holds are no part of a receipt
  pieces[#pieces + 1] = {amount, now, max(now, fresh_at[charges[1]](charges))}
  if #pieces > MAX_PIECES then
    local first = table.remove(pieces, 1)
    pieces[1] = {first[1] + pieces[1][1], min(first[2], pieces[1][2]), min(first[3], pieces[1][3])}
  end
end

-- Changes the charge of a counter: returns the newest pieces first, or charges the difference without a check. A state of
-- another limit returns nothing, and is converted for a charge.
local function correct_to(c, target, is_last)
  local limit, ledger, charged = c.limit, c.ledger, total(c.ledger)
  if target == charged or not holds.is_holdable(limit) then return end
  if target < charged and not c.same_limit then return end
  load_state(c.k, limit, false)
  if target < charged and holds.belongs_to_other_limit(states[c.k], limit, c.k) then return end
  local state = load_state(c.k, limit, true)
  if target > charged then
    local counted
    state, counted = holds.charge_unchecked(state, limit, c.k, target - charged)
    if counted == 0 then return end
    states[c.k], changed[c.k] = state, true
    add_piece(ledger, counted, state)
  else
    local rest, pieces = charged - target, ledger.pieces
    while rest > 0 do
      local piece = table.remove(pieces)
      local returned = min(rest, piece[1])
      local next_state = not returns.is_reset(c.returns, piece[2]) and
        give_back[state[1]](state, limit, c.k, returned, piece[2], piece[3], nil, piece[1], is_last, c.returns)
      if next_state then
        state = next_state
        states[c.k], changed[c.k] = state, true
      end
      if returned < piece[1] then pieces[#pieces + 1] = {piece[1] - returned, piece[2], piece[3]} end
      rest = rest - returned
    end
  end
end

local function remaining(c)
  local state = load_state(c.k, c.limit, false)
  local _, left = step[state[1]](state, c.limit, c.k, 0, c.holder)
  return left
end

local function finish(c, target, is_last)
  if c.limit[1] == SLOTS then
    slot_operations.release(c.k, c.limit, c.holder)
  else
    correct_to(c, target, is_last)
  end
end

local function charge_at_expiry(c)
  local used, charged = c.ledger.used, total(c.ledger)
  if c.on_expiry == USED then return max(0, used) end
  if c.on_expiry == USED_OR_RESERVED then return used == UNREPORTED and charged or used end
  if c.on_expiry == RESERVED then return max(charged, used) end
  return 0
end

-- Adds permits to all counters that ask for more, or to none.
local function grow(counters)
  local next_states = {}
  for i, c in ipairs(counters) do
    if c.more > 0 then
      if not holds.is_holdable(c.limit) or total(c.ledger) + c.more > c.max_amount then return false end
      local state = load_state(c.k, c.limit, false)
      local kind, _, _, _, next_state = step[state[1]](state, c.limit, c.k, c.more)
      if kind ~= PASSED then return false end
      next_states[i] = next_state
    end
  end
  for i, c in ipairs(counters) do
    if c.more > 0 then
      states[c.k], changed[c.k] = next_states[i], true
      add_piece(c.ledger, c.more, next_states[i])
      c.ledger.grown = c.ledger.grown + c.more
    end
  end
  return true
end

local function update(counters)
  for _, c in ipairs(counters) do
    if c.limit[1] == SLOTS then
      slot_operations.renew(c.k, c.limit, c.holder)
    elseif c.target ~= UNREPORTED then
      c.ledger.used = max(c.ledger.used, c.target)
      if c.ledger.used > total(c.ledger) then correct_to(c, c.ledger.used) end
    end
  end
end

local function settle(counters)
  for _, c in ipairs(counters) do
    if c.target ~= UNREPORTED then c.ledger.used = c.target end
    finish(c, c.target == UNREPORTED and total(c.ledger) or c.target, true)
  end
end

local function read_record(text)
  local fields, ledgers = {cmsgpack.unpack(text)}, {}
  local at = 3
  while at <= #fields do
    local pieces, count = {}, fields[at + 3]
    for i = at + 4, at + 3 + 3 * count, 3 do pieces[#pieces + 1] = {fields[i], fields[i + 1], fields[i + 2]} end
    ledgers[fields[at]] = {used = fields[at + 1], grown = fields[at + 2], pieces = pieces}
    at = at + 4 + 3 * count
  end
  return fields[1], fields[2], ledgers
end

local function write_record(key, status, expires_at, ledgers)
  local fields = {status, expires_at}
  for index, ledger in pairs(ledgers) do
    local at = #fields
    fields[at + 1], fields[at + 2], fields[at + 3], fields[at + 4] = index, ledger.used, ledger.grown, #ledger.pieces
    for _, piece in ipairs(ledger.pieces) do
      for i = 1, 3 do fields[#fields + 1] = piece[i] end
    end
  end
  local text = cmsgpack.pack(unpack(fields))
  if sets_expiry then
    local kept_until = max(now, expires_at)
    if status == OPEN then -- until time has returned its charges, so that a late sweep can end it
      for _, ledger in pairs(ledgers) do
        for _, piece in ipairs(ledger.pieces) do kept_until = max(kept_until, piece[3]) end
      end
    end
    call('SET', key, text, 'EXAT', ceil((kept_until + KEPT) / 1000000))
  else
    call('SET', key, text)
  end
end

-- Executes one operation. Its arguments begin at `pos`; see plan.lua.
return function(record, is_settlement)
  local key, counters = KEYS[record], {}
  local action, began_until, ttl, count = SETTLING, args[pos + 6], 0, 0
  if is_settlement then
    counters[1] = {
      index = 0, k = args[pos], limit = limits[args[pos + 1]], target = args[pos + 2], more = 0,
      same_limit = true, max_amount = 0, on_expiry = USED, holder = '0', returns = args[pos + 7],
      ledger = {used = UNREPORTED, grown = 0, pieces = {{args[pos + 3], args[pos + 4], args[pos + 5]}}},
    }
    pos = pos + 8
  else
    action, began_until, ttl, count = unpack(args, pos, pos + 3)
    pos = pos + 4
  end
  for i = 1, count do
    local c = {
      index = args[pos], k = args[pos + 1], limit = limits[args[pos + 2]], target = args[pos + 3], more = args[pos + 4],
      same_limit = args[pos + 8] == 1, max_amount = args[pos + 9], on_expiry = args[pos + 10], holder = args[pos + 11],
      returns = args[pos + 12],
      ledger = {used = UNREPORTED, grown = 0, pieces = {{args[pos + 5], args[pos + 6], args[pos + 7]}}},
    }
    if c.limit[1] == FAIR then c.holder = {c.holder, 1} end
    pos = pos + 13
    counters[i] = c
  end
  local text = call('GET', key)
  local status, expires_at, ledgers = OPEN, began_until, {}
  if text then
    status, expires_at, ledgers = read_record(text)
  end
  -- A stored open record proves that nothing has ended the reservation. Without a record it may have been settled.
  if now > expires_at + KEPT and not (text and status == OPEN and action > SETTLING) then
    n = n + 1
    reply[n] = UNKNOWN
    return
  end
  local was_exhausted, wants_more, grown, is_changed = {}, false, false, true
  for i, c in ipairs(counters) do
    c.ledger = ledgers[c.index] or c.ledger
    ledgers[c.index] = c.ledger
    was_exhausted[i] = remaining(c) == 0
    wants_more = wants_more or c.more > 0
  end
  if action == SETTLING and (status == OPEN or status == EXPIRED) then
    settle(counters)
    status = SETTLED
  elseif action == UPDATE and status == OPEN then
    update(counters)
    if ttl > 0 then expires_at = max(expires_at, now + ttl) end
    grown = wants_more and grow(counters)
  elseif action > SETTLING and status == OPEN and now >= expires_at then
    for _, c in ipairs(counters) do finish(c, charge_at_expiry(c)) end
    status = EXPIRED
  else
    is_changed = false
  end
  if is_changed then write_record(key, status, expires_at, ledgers) end
  reply[n + 1], reply[n + 2], reply[n + 3] = status, expires_at, grown and 1 or 0
  n = n + 3
  for i, c in ipairs(counters) do
    local left = remaining(c)
    reply[n + 1], reply[n + 2], reply[n + 3] = total(c.ledger), c.ledger.used + 1, left
    reply[n + 4], reply[n + 5] = was_exhausted[i] and left > 0 and 1 or 0, c.ledger.grown
    n = n + 5
  end
end
