-- The plans, one after the other. Mirrors Plan.java.
--
--   a plan    LOOK or DECIDE, how many parts, the parts as multi.lua has them; or, where there is but one
--             charge, 0, the charge, and how many times it is asked
--   a charge  key, limit (both by index), cost, and for concurrency the holder (a text)
--   or        RENEW or RELEASE, key, limit, holder: says 1, or 0 if that holder has no slot
--   or        GIVE_BACK, 0, a charge, when it was made (µs), and when its counter would have been fresh, seen from
--             then (µs): returns 1
--   or        TAKE, key, limit, holder (a number), order, spent, of how many held, until (µs), cost, want, lease (µs): says
--             what a limit says, and how many permits are held from now on
--   or        REPORT, key, limit, cost: says whether that was counted 0|1, the algorithm, how many numbers its state
--             has, and these
--
--   a limit says PASSED, REFUSED or NEVER, remaining, reset_after (µs), and delay or retry_after (µs); of
--   NEVER, in plans of several charges, the cost that was asked for; or as fast-path.lua has it

local DECIDE, RENEW, RELEASE, GIVE_BACK, TAKE, REPORT = 1, 2, 3, 4, 5, 6

while at <= #args do
  local mode, count = args[at], args[at + 1]
  at = at + 2
  if mode == RENEW or mode == RELEASE then
    n = n + 1
    said[n] = alter[mode == RENEW and 'renew' or 'release'](count, limits[args[at]], args[at + 1])
    at = at + 2
  elseif mode == TAKE then
    held = held or make_held()
    held.take(count, limits[args[at]], unpack(args, at + 1, at + 8))
    at = at + 9
  elseif mode == REPORT then
    held = held or make_held()
    held.report(count, limits[args[at]], args[at + 1])
    at = at + 2
  elseif count > 0 then
    several(count, mode == DECIDE)
  else
    local k, limit, cost, holder, keep = args[at], limits[args[at + 1]], args[at + 2], nil, mode == DECIDE
    local kind = limit[1]
    at = at + 3
    if kind == SLOTS then
      holder = args[at]
      at = at + 1
    end
    local times = args[at]
    at = at + 1
    if mode == GIVE_BACK then
      local own = known(k, limit, true)
      local next = give_back[own[1]](own, limit, k, cost, times, args[at], holder)
      at = at + 1
      if next then states[k], changed[k] = next, true end
      n = n + 1
      said[n] = 1
    else
      for _ = 1, times do
        local own = known(k, limit, keep)
        local what, remaining, reset, wait, next = step[own[1]](own, limit, k, cost, holder)
        if next and keep then charge(k, limit, next) end
        say(what, remaining, reset, wait)
      end
    end
  end
  short_way()
end

for k in pairs(changed) do
  local state = states[k]
  local fresh = fresh_at[state[1]](state)
  local till, text
  if state[1] == BUCKET then
    till = gone_at(fresh, (fresh - now) / 4, tills[k])
    text = bucket_text(state[2], state[3], state[4], till)
  else
    till = gone_at(fresh, 0) -- and no other, or it could not be told from the state
    text = cmsgpack.pack(unpack(state[1] == HELD and held.put_together(state) or state))
  end
  write(KEYS[k], text, till, sizes[k], tills[k])
end

return cmsgpack.pack(said)
