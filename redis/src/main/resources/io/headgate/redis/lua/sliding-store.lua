-- Charges a sliding window that sliding-evaluate.lua has evaluated.

if passed == 0 and newest > 0 then -- the last count is the last byte, and the expiry is that of the state
  local size = #stored
  if size ~= sliding_size then sliding_size, sliding_offset = size, string.format('%d', size - 1) end
  set_range(key, sliding_offset, string.char(newest + cost))
else
  -- Counts below 128 have a byte each, so they are the last bytes of the text.
  local kept, zeros = '', buckets
  if state and passed <= buckets then
    kept, zeros = stored:sub(-1 - buckets + passed, passed == 0 and -2 or -1), passed > 0 and passed - 1 or 0
  end
  if zeros > 0 then kept = kept .. ('\0'):rep(zeros) end
  local text = pack(
    '>I2I8I5I5c0B', 0x03cf, subwindow, 0xce00000000 + width, 0xce00000000 + permits, kept, cost)
  local due = fresh + 3999999
  local expiry = (due - due % 1000000) / 1000000 -- rounded up; that of expiry_for in general.lua
  if newest > 0 and passed <= buckets and #stored == #text and due % 1000000 >= passed * width then -- the same expiry
    set_range(key, '0', text)
  else
    --layout set
  end
end
