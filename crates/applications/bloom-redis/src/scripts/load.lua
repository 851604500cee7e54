-- Sets the bits of a chunk in a string that must be there. Bits that are set in it stay: others insert meanwhile.
-- KEYS[1]: the string. KEYS[2], KEYS[3]: names that nobody else uses. ARGV[1]: where the chunk begins, in bytes. ARGV[2]: the
-- chunk. ARGV[3]: its mark.
-- Returns 1 if it is done, 0 if the string is not there.
if redis.call('GETRANGE', KEYS[1], -24, -1) ~= ARGV[3] then
  return 0
end
local chunk = ARGV[2]
local there = redis.call('GETRANGE', KEYS[1], ARGV[1], ARGV[1] + #chunk - 1)
if string.find(there, '[^%z]') then
  redis.call('SET', KEYS[2], there)
  redis.call('SET', KEYS[3], chunk)
  redis.call('BITOP', 'OR', KEYS[2], KEYS[2], KEYS[3])
  chunk = redis.call('GET', KEYS[2])
  redis.call('UNLINK', KEYS[2], KEYS[3])
end
redis.call('SETRANGE', KEYS[1], ARGV[1], chunk)
return 1
