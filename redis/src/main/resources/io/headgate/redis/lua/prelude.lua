-- Decides a batch of plans, atomically and one after the other. This text is prelude.lua, fast-path.lua,
-- general.lua, utilization.lua, one file for each algorithm, held-state.lua, states.lua, multi.lua and plan.lua, in that
-- order, and never changes with a rule; a part that a batch does not use is skipped.
-- Mirrors Plan.step, and the limits it calls; every number is an integer that a double holds exactly.
--
--   KEYS      the keys of the counters that the batch touches, each once
--   ARGV[1]   one MessagePack array of numbers: now (-1: this server's clock), whether there are plans of
--             several charges 0|1, how many limits, the limits (seven numbers each: the algorithm, and
--             what its file says), then the plans (plan.lua says how)
--   returns   one MessagePack array: now (µs), then what each limit of each plan said, in order; or -now alone, with
--             nothing decided, if now is outside the ends that a calendar window came with: the caller's clock is
--             another, and it is to send the ends around now

local BUCKET, FIXED, SLIDING, ROLLING, SLOTS, HELD = 1, 2, 3, 4, 5, 6
local FOUND = 2 -- and how many requests what was found is the answer to; less than that: what a limit says
local call = redis.call

local args = cmsgpack.unpack(ARGV[1])
local now = args[1]
local expires = now < 0 -- a clock that a test turns by hand says nothing about when to forget
if expires then
  local time = call('TIME')
  now = time[1] * 1000000 + time[2]
end

local limits, at = {}, 4
for l = 1, args[3] do
  limits[l] = {args[at], args[at + 1], args[at + 2], args[at + 3], args[at + 4], args[at + 5], args[at + 6]}
  if args[at] == FIXED and args[at + 3] == 0 and (now < args[at + 4] or now >= args[at + 6]) then
    return cmsgpack.pack({-now})
  end
  at = at + 7
end

local states = {} -- by index of KEYS; false: nothing is kept there; nil: not read yet
local said, n = {now}, 1 -- what is answered

-- When to forget (s) a state that says nothing more from `fresh` on (µs): `spare` after that, at least 3 s, since a
-- key that vanishes between two requests and comes again costs more than one that stays a little. And when it was
-- to be forgotten before, if that will do: to move that moment takes a third of a decision's time.
local function gone_at(fresh, spare, before)
  if fresh < now then fresh = now end
  if spare < 3000000 then spare = 3000000 end
  if before then
    local rest = before * 1000000 - fresh
    if rest >= 0 and rest <= 2 * spare then return before end
  end
  return math.ceil((fresh + spare) / 1000000)
end

-- The state of a bucket, with when it is forgotten. By struct where that can be: it is the same in a third of the
-- time, since cmsgpack makes a text of each number first.
local function bucket_text(empty_at, slack, drain, till)
  if slack < 128 and till < 4294967296 then
    return struct.pack('>BBI8BBI8BI4', BUCKET, 0xcf, empty_at, slack, 0xcf, drain, 0xce, till)
  end
  return cmsgpack.pack(BUCKET, empty_at, slack, drain, till)
end

-- Who writes over a text leaves the moment at which it is forgotten as it is.
local function write(key, text, till, size, till_before)
  if till == till_before and #text == size then
    call('SETRANGE', key, '0', text)
  elseif expires then
    call('SET', key, text, 'EXAT', till)
  else
    call('SET', key, text)
  end
end
