-- Removes the state of a counter in the layout `compact` (see compact-texts.lua). The expiry of a shared key stays.
--
--   KEYS      the key of the counter, and its shared key
--   returns   how many states were removed

local removed = redis.call('DEL', KEYS[1])
local text = redis.call('GET', KEYS[2])
if not text then return removed end
local states, kept, field = {cmsgpack.unpack(text)}, {}, KEYS[1]:sub(#KEYS[2] + 1)
for i = 1, #states, 3 do
  if states[i] ~= field then
    for j = i, i + 2 do kept[#kept + 1] = states[j] end
  end
end
if #kept == #states then return removed end
if #kept == 0 then
  redis.call('DEL', KEYS[2])
else
  redis.call('SET', KEYS[2], cmsgpack.pack(unpack(kept)), 'KEEPTTL')
end
return removed + 1
