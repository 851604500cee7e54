-- Sets bits of a filter in one command: what a transaction does with open.lua and close.lua, where a slot that is moving
-- between the nodes of a cluster forbids the transaction. Follows lifetime.lua.
-- KEYS[1]: the bitmap. ARGV[1]: bytes of the bitmap if it must be there, or ''. ARGV[2], ARGV[3]: how the time to live is set,
-- and the number. ARGV[4] and on: offsets.
-- Returns the bits as they were, or the length of the string if it must be another.
local length = ARGV[1] ~= '' and redis.call('STRLEN', KEYS[1])
if length and length ~= tonumber(ARGV[1]) then
  return length
end
local before = {}
for at = 4, #ARGV do
  before[#before + 1] = redis.call('SETBIT', KEYS[1], ARGV[at], 1)
end
set_lifetime(KEYS[1], ARGV[2], ARGV[3])
return before
