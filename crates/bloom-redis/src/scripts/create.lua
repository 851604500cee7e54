-- Creates a bitmap of zeros. Follows lifetime.lua.
-- KEYS[1]: the bitmap. ARGV[1]: its bytes. ARGV[2], ARGV[3]: how the time to live is set, and the number.
-- Returns nothing if it was created, otherwise the length of the string that is there.
if redis.call('EXISTS', KEYS[1]) == 1 then
  return redis.call('STRLEN', KEYS[1])
end
redis.call('SETBIT', KEYS[1], ARGV[1] * 8 - 1, 0)
set_lifetime(KEYS[1], ARGV[2], ARGV[3])
return nil
