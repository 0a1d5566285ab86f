-- Executes a command on the general path. Mirrors Plan.java.
--
--   a plan    PEEK (0) or DECIDE, the number of parts, the parts (see multi.lua); for a single charge: 0, the charge,
--             and its number of repetitions. Returns an outcome for each charge
--   a charge  key, limit (both by index), cost, and for concurrency the holder (a text), or for a limit that is shared
--             fairly the tenant (a text) and its weight
--   or        RENEW or RELEASE, key, limit, holder: returns 1, or 0 if the holder has no slot
--   or        RELEASE_AFTER, key, limit, holder, duration of the call (µs), how it ended (0 success, 1 error, 2 dropped):
--             as RELEASE, and learns from the call
--   or        GIVE_BACK, 0, a charge, when it was made (µs), and when its counter would be fresh without later
--             charges (µs), and the key of the returns to the counter, or 0: returns 1
--   or        HOLD, key, limit, holder (a number), order, permits spent of the previous hold, size of that hold, its
--             end (µs), cost, permits wanted, lease (µs): returns an outcome and the size of the new hold
--   or        REPORT, key, limit, cost: returns whether it was counted 0|1, the algorithm, the number of fields of the
--             state, and these
--   or        RESERVATION, key of its record, action (0 update, 1 settle, 2 expire), its first expiry (µs), the time by
--             which an update extends it (µs), the number of counters, and for each its index, key, limit, target (-1:
--             not reported), more, the reserved permits, when they were charged (µs), when the counter would be fresh
--             (µs), whether the limit is the one that was reserved 0|1, the most that it may hold, on expiry (0 used, 1
--             used or reserved, 2 reserved, 3 nothing), holder (a text), the key of the returns to the counter, or
--             0: returns the status (0 unknown, and nothing else; 1 open, 2 settled, 3 expired), expires_at (µs), grown 0|1, and for each counter the permits charged,
--             the permits used plus 1 (0: not reported), remaining, whether it has permits again 0|1, and the permits
--             that updates have added
--
--   or        SETTLE, key of its record, key, limit, the permits used (-1: not reported), the reserved permits, when they
--             were charged (µs), when the counter would be fresh (µs), its first expiry (µs), the key of the returns: as
--             RESERVATION that settles one counter, of index 0 and the limit that was reserved. Returns the same, or 4 or
--             5 if it was settled as requested, and remaining; 5 if the counter has permits again
--   or        RESETTING, key, limit, the key of the returns to the counter: records that a reset follows; returns 1
--
--   an outcome is PASSED, REFUSED or EXCEEDS, then remaining, reset_after (µs), and delay or retry_after (µs);
--   PASSED_BESIDE_HOLDS (-1) has reset_after without the holds too; for
--   EXCEEDS in plans of several charges, the evaluated cost instead; for an adaptive limit, its number of slots follows;
--   for REFUSED of a limit that is shared fairly, certain_for (µs); or the form that fast-path.lua describes

local apply_reservation

execute = function()
  local mode, count = args[pos], args[pos + 1]
  pos = pos + 2
  if mode == RENEW or mode == RELEASE then
    n = n + 1
    reply[n] = slot_operations[mode == RENEW and 'renew' or 'release'](count, limits[args[pos]], args[pos + 1])
    pos = pos + 2
  elseif mode == RELEASE_AFTER then
    n = n + 1
    reply[n] = slot_operations.release_after(count, limits[args[pos]], unpack(args, pos + 1, pos + 3))
    pos = pos + 4
  elseif mode == HOLD then
    holds = holds or define_holds()
    holds.request_hold(count, limits[args[pos]], unpack(args, pos + 1, pos + 8))
    pos = pos + 9
  elseif mode == REPORT then
    holds = holds or define_holds()
    holds.report(count, limits[args[pos]], args[pos + 1])
    pos = pos + 2
  elseif mode == RESETTING then
    local limit = limits[args[pos]]
    local state_now = load_state(count, limit, false)
    local text = get_text(KEYS[count])
    if type(text) == 'string' and text:byte(2) == 0xd3 then -- see fast-settle.lua
      set_range(KEYS[count], '1', string.char(0xcf))
    end
    returns = returns or define_returns()
    local charges = state_now[1] == HELD and state_now.state or state_now
    returns.store_reset(args[pos + 1], max(now, fresh_at[charges[1]](charges)) + (limit[1] == BUCKET and limit[6] or 0))
    n = n + 1
    reply[n] = 1
    pos = pos + 2
  elseif mode == RESERVATION or mode == SETTLE then
    apply_reservation = apply_reservation or define_reservations()
    apply_reservation(count, mode == SETTLE)
  elseif count > 0 then
    evaluate_multi(count, mode == DECIDE)
  else
    local k, limit, cost, holder, commit = args[pos], limits[args[pos + 1]], args[pos + 2], nil, mode == DECIDE
    local kind = limit[1]
    pos = pos + 3
    if kind == SLOTS then
      holder = args[pos]
      pos = pos + 1
    elseif kind == FAIR then
      holder = {args[pos], args[pos + 1]}
      pos = pos + 2
    end
    local extra = args[pos] -- the number of repetitions, or the time of the charge to give back
    pos = pos + 1
    if mode == GIVE_BACK then
      returns = returns or define_returns()
      local state_now = load_state(k, limit, true)
      local next_state = not returns.is_reset(args[pos + 1], extra) and
        give_back[state_now[1]](state_now, limit, k, cost, extra, args[pos], holder, cost, true, args[pos + 1])
      pos = pos + 2
      if next_state then states[k], changed[k] = next_state, true end
      n = n + 1
      reply[n] = 1
    else
      for _ = 1, extra do
        local state_now = load_state(k, limit, commit)
        local outcome, remaining, reset, wait, next_state, certain =
          step[state_now[1]](state_now, limit, k, cost, holder)
        if next_state and commit then apply_charge(k, limit, next_state) end
        add_outcome(outcome, remaining, reset, wait, certain)
        add_limit(limit, state_now)
      end
    end
  end
end

-- Writes a state. SETRANGE over a text of the same size keeps the expiry of the key.
local function write(key, text, expiry, size, previous_expiry)
  if expiry == previous_expiry and #text == size then
    set_range(key, '0', text)
  else
    set(key, text, expiry)
  end
end

store_states = function()
  for k in pairs(changed) do
    local state = states[k]
    if state[1] == FAIR then
      store_set[FAIR](state, KEYS[k])
    else
      local fresh = fresh_at[state[1]](state)
      local expiry, text
      if state[1] == BUCKET then
        expiry = expiry_for(fresh, (fresh - now) / 4, expiries[k])
        text = state[3] < 128 and expiry < WORD
          and pack('>BBI8BBI8BI4', BUCKET, 0xcf, state[2], state[3], 0xcf, state[4], 0xce, expiry)
          or cmsgpack.pack(BUCKET, state[2], state[3], state[4], expiry)
      else
        expiry = expiry_for(fresh, 0) -- no spare, since the expiry of a window must follow from its state
        local encode_state = encode[state[1]]
        text = encode_state and encode_state(state) or cmsgpack.pack(unpack(state[1] == HELD and holds.encode(state) or state))
      end
      write(KEYS[k], text, expiry, sizes[k], expiries[k])
    end
  end
end
