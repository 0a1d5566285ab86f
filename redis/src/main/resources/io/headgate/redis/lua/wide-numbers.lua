-- Checks that this server's libraries preserve integers of 53 bits. Those of a 32-bit build truncate them silently.
--
--   KEYS      any; they choose the cluster node that runs this
--   returns   1 if struct and cmsgpack preserve the number, else 0

local wide = 2 ^ 52 + 1
local by_struct = struct.unpack('>I8', struct.pack('>I8', wide))
local by_cmsgpack = cmsgpack.unpack(cmsgpack.pack(wide))
if by_struct == wide and by_cmsgpack == wide then return 1 end
return 0
