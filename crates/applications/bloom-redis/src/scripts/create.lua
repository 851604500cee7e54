-- Creates a bitmap of zeros. Follows lifetime.lua.
-- KEYS[1]: the bitmap. KEYS[2]: a name beside it that must be in its slot of a cluster. ARGV[1]: its mark. ARGV[2]: bytes before the mark. ARGV[3], ARGV[4]: how the time to live is set, and
-- the number.
-- Returns nothing if it was created, otherwise the end of the string that is there.
if redis.call('EXISTS', KEYS[1]) == 1 then
  return redis.call('GETRANGE', KEYS[1], -24, -1)
end
redis.call('SETRANGE', KEYS[1], ARGV[2], ARGV[1])
set_lifetime(KEYS[1], ARGV[3], ARGV[4])
return nil
