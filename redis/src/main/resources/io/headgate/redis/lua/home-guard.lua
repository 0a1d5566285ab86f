-- Protects shares of regions that a home may have lost. Part of the script of home only, after prelude.lua.
--
--   KEYS      as in prelude.lua, and last the marker of home
--   ARGV[2]   the longest lease that the caller requests (µs)
--   marker    when home may grant shares (µs; 0: no share was ever lost), and the longest lease (µs): '0:30000000'
--
-- A server that restarts or is promoted has no scripts, so the client that loads this one writes a marker that lies a
-- lease ahead (home-open.lua). By then all shares have ended that the server may have forgotten. Charges may be lost
-- too, so a counter without a state is taken for one that was exhausted at that time (held-state.lua).

local marker_ready, marker_lease = string.match(call('GET', KEYS[#KEYS]) or '', '^(%d+):(%d+)$')
if not marker_ready then return redis.error_reply('NOHOME no region has opened this home') end
if tonumber(ARGV[2]) > tonumber(marker_lease) then
  return redis.error_reply(
    'HOMELEASE this region asks for leases of ' .. ARGV[2] .. ' us and home allows ' .. marker_lease ..
    ' us; use the same --region-lease in all regions')
end
home_ready_at = tonumber(marker_ready)
if now < home_ready_at then
  return redis.error_reply(
    'HOMEWAIT home may have lost shares and grants none for ' .. math.ceil((home_ready_at - now) / 1000) .. ' ms')
end
