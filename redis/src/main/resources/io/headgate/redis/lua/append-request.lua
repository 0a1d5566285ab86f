-- Adds a request to a packed window (see packed-window.lua): to the requests of `text` from `index` on, or to none if
-- there is no text.
local renewed, entries, kept, room, keeps_expiry = 2000000, '', 0, 0, false
if window > 16000000 then renewed = (window - window % 8) / 8 end -- see renewal in packed-window.lua
total, used = (total + cost) % TOTALS, used + cost
if text then
  room, kept = (#text - HEAD) / SIZE, count - index + 1
  keeps_expiry = last - last % renewed == time - time % renewed
end
if keeps_expiry and count > FEW and count < room and (index - 1) * 2 < count then
  -- Replicas and the append-only file receive no more than the change.
  set_range(key, '2', pack(
    '>I8I5I6I2I6I5', time + window, USED_TYPE + used, PERMITS_TYPE + permits * 256, FIELDS + room * SIZE, window,
    total * 65536 + count + 1))
  set_range(key, string.format('%d', HEAD + count * SIZE), pack(ENTRY, time % TIMES, total))
else
  if text then entries = text:sub(HEAD + 1 + (index - 1) * SIZE, HEAD + count * SIZE) end
  if keeps_expiry and kept < room then
    -- In place, which takes less than SET. The bytes after the last request are room.
    set_range(key, '2', pack(
      '>I8I5I6I2I6I5c0I6I3', time + window, USED_TYPE + used, PERMITS_TYPE + permits * 256, FIELDS + room * SIZE, window,
      total * 65536 + kept + 1, entries, time % TIMES, total))
  else
    -- From 17 requests on there is room for an eighth more. Below, an odd number has room for one: bytes that the
    -- allocator leaves unused, except at 13.
    local size = kept + 1
    local spare = size > FEW and (size - size % 8) / 8 + 1 or size > 2 and size % 2 or 0
    local text = pack(
      '>I2I8I5I6I2I6I5c0I6I3', KIND, time + window, USED_TYPE + used, PERMITS_TYPE + permits * 256,
      FIELDS + (size + spare) * SIZE, window, total * 65536 + size, entries, time % TIMES, total)
    if spare > 0 then text = text .. ('\0'):rep(spare * SIZE) end
    if keeps_expiry and sets_expiry then
      set_text(key, text, 'KEEPTTL')
    else
      local due = time - time % renewed + renewed + window + 999999
      local expiry = (due - due % 1000000) / 1000000 + 1 -- rounded up
      --layout set
    end
  end
end
