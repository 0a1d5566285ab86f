-- The general path, for all other commands. A state is a table whose first element is its algorithm. adopt returns the
-- state converted to a limit, and whether it must be stored. step returns the outcome of a cost, and the state to store
-- if it is charged. give_back reverts a charge whose plan was refused in another hash slot, from the time of the charge
-- and the time at which the counter would be fresh without later charges: permits that are already available again must
-- not be returned twice. It returns the state to store, or nil if nothing changes.

local FAIR_FORMAT = '>I8I8I8I8I8I8I8I8I8I8I4I4I4I8I4I4I8I8'
local floor, ceil, max, min = math.floor, math.ceil, math.max, math.min
local format, unpack_struct = string.format, struct.unpack
local adopt, step, fresh_at, append, encode, slot_operations, give_back = {}, {}, {}, {}, {}, {}, {}
local state_after, store_set = {}, {} -- of FAIR, whose set is written at the end of the batch
local load_state, read_state, evaluate_multi -- defined in states.lua and multi.lua
local holds -- the functions of held-state.lua, once they are needed
local complete_call -- the function of adaptive-controller.lua, once it is needed
local changed = {} -- keys whose states are written at the end of the batch
local sizes, expiries = {}, {} -- by index of KEYS: the length of the stored text and its expiry (s)

reply, states = reply or {now}, states or {}
--include limits

local has_multi, uses = args[2] % 2 == 1, {}
for _, limit in ipairs(limits) do uses[limit[1]] = true end

-- Adds an outcome, with its sixth value if step returned one: certain_for of a refusal, and for a counter with holds the
-- time that a receipt of the charge has.
local function add_outcome(kind, remaining, reset, wait, certain)
  if certain and kind == PASSED then kind = PASSED_BESIDE_HOLDS end
  reply[n + 1], reply[n + 2], reply[n + 3], reply[n + 4], reply[n + 5] = kind, remaining, reset, wait, certain
  n = certain and n + 5 or n + 4
end

-- Adds the number of slots of an adaptive limit at this time.
local function add_limit(limit, state)
  if limit[1] == SLOTS and limit[4] > 0 then
    n = n + 1
    reply[n] = state[2]
  end
end

-- The maximum number of expired members that one call removes from a sorted set: more than a charge adds, so that they
-- do not accumulate, and few enough that no single charge pays for a whole expired window.
local MAX_PURGED = 1000

-- The member of rank 0 is the signature. Expired members that remain are below every range that is read.
local function purge(key, expired)
  call('ZREMRANGEBYRANK', key, 1, min(expired, MAX_PURGED)) -- removes nothing if expired is 0
end

-- Returns the time to live of a sorted set (ms).
local function ttl(fresh)
  return max(1, ceil((fresh - now) / 1000)) + 3000
end

-- Returns the expiry (s) of a state that is fresh from `fresh` on (µs): `spare` µs after that, at least 3 s, since a
-- key that expires between two requests and is created again costs more than one that stays a little longer. Returns
-- the previous expiry if it is still suitable, since changing it takes a third of the time of a decision.
local function expiry_for(fresh, spare, previous)
  if fresh < now then fresh = now end
  if spare < 3000000 then spare = 3000000 end
  if previous then
    local margin = previous * 1000000 - fresh
    if margin >= 0 and margin <= 2 * spare then return previous end
  end
  return math.ceil((fresh + spare) / 1000000)
end

local function set(key, text, expiry)
  --compact own_texts[key] = true -- a set that this batch has written, or another type that it has not read
  --layout set
end
