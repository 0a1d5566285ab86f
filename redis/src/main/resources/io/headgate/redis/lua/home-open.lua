-- Opens a home whose script cache is empty: writes the marker that home-guard.lua reads.
--
--   KEYS[1]   the marker
--   ARGV      the marker that the caller has read, empty if there was none; the longest lease (µs)
--   returns   the marker
--
-- A marker that another client has changed meanwhile remains. The marker 'new' states that no region has ever held a
-- share of this home, so that it need not wait; an operator writes it before the first start.

local present = redis.call('GET', KEYS[1]) or ''
if present ~= ARGV[1] then return present end
local ready = 0
if present ~= 'new' then
  local time = redis.call('TIME')
  ready = time[1] * 1000000 + time[2] + math.ceil(ARGV[2] * 1.01)
end
local marker = string.format('%.0f:%s', ready, ARGV[2])
redis.call('SET', KEYS[1], marker)
return marker
