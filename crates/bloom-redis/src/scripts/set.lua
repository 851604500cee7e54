-- Sets bits of a filter in one command: what a transaction does with open.lua and close.lua, where a slot that is moving
-- between the nodes of a cluster forbids the transaction.
-- KEYS[1]: the bitmap. ARGV[1]: '1' if it must be there. ARGV[2]: time to live in ms, or ''. ARGV[3]: '1' if a time to live
-- that is there stays. ARGV[4] and on: offsets.
-- Returns the bits as they were, or nothing if the bitmap is missing.
if ARGV[1] == '1' and redis.call('EXISTS', KEYS[1]) == 0 then
  return false
end
local before = {}
for at = 4, #ARGV do
  before[#before + 1] = redis.call('SETBIT', KEYS[1], ARGV[at], 1)
end
if ARGV[2] ~= '' and (ARGV[3] ~= '1' or redis.call('PTTL', KEYS[1]) < 0) then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return before
