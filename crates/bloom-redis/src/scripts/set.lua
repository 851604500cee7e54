-- Sets bits of a filter in one command: what a transaction does with open.lua and close.lua, where a slot that is moving
-- between the nodes of a cluster forbids the transaction. Follows lifetime.lua.
-- KEYS[1]: the bitmap. ARGV[1]: '1' if it must be there. ARGV[2], ARGV[3]: how the time to live is set, and the number.
-- ARGV[4] and on: offsets.
-- Returns the bits as they were, or nothing if the bitmap is missing.
if ARGV[1] == '1' and redis.call('EXISTS', KEYS[1]) == 0 then
  return false
end
local before = {}
for at = 4, #ARGV do
  before[#before + 1] = redis.call('SETBIT', KEYS[1], ARGV[at], 1)
end
set_lifetime(KEYS[1], ARGV[2], ARGV[3])
return before
