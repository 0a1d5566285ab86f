-- Writes `count` of a fixed window that ends at `window_end`. `stored` is the text before if its expiry is that of this
-- window, and if the count is not below 128 for the first time. Then only the count changes: one byte, or four after
-- their type; or also the mark of fast-settle.lua, if another is given. `l` is the offset of the limit in the arguments.
if not stored or window_end < WORD or count >= 128 and (count >= WORD or stored:byte(11) ~= 0xce) then
  if l ~= text_limit then text_limit, limit_text = l, cmsgpack.pack(args[l + 1], args[l + 2]) end
  local text
  if count < 128 then
    text = pack('>BBI8B', FIXED, 0xcf, window_end, count) .. limit_text
  elseif count < WORD then
    text = pack('>BBI8BI4', FIXED, 0xcf, window_end, 0xce, count) .. limit_text
  else
    text = cmsgpack.pack(FIXED, window_end, count) .. limit_text
  end
  local due = window_end + 3999999
  local expiry = (due - due % 1000000) / 1000000 -- rounded up; that of expiry_for in general.lua
  --layout set
elseif mark then
  local layout = count < 128 and '>BI8B' or '>BI8BI4'
  set_range(key, '1', pack(layout, mark, window_end, count < 128 and count or 0xce, count))
elseif count < 128 then
  set_range(key, '10', string.char(count))
else
  set_range(key, '11', pack('>I4', count))
end
