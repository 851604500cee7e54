-- Puts a new generation in the place of a filter. Follows lifetime.lua.
-- KEYS[1]: which rebuild is under way. KEYS[2], KEYS[3]: the filter and the new generation.
-- ARGV[1]: the rebuild. ARGV[2], ARGV[3]: how the time to live is set, and the number. ARGV[4]: the generation's mark.
-- Returns 1 if it is done, 0 if the rebuild is not the one under way or lacks its bitmap.
if redis.call('GET', KEYS[1]) ~= ARGV[1] or redis.call('GETRANGE', KEYS[3], -24, -1) ~= ARGV[4] then
  return 0
end
local left = redis.call('PTTL', KEYS[2])
-- Renaming would free the old bitmap in the foreground.
redis.call('UNLINK', KEYS[2])
redis.call('RENAME', KEYS[3], KEYS[2])
-- The new bitmap has the lease of the rebuild; it gets what the old one had.
if left > 0 then
  redis.call('PEXPIRE', KEYS[2], left)
else
  redis.call('PERSIST', KEYS[2])
end
set_lifetime(KEYS[2], ARGV[2], ARGV[3])
redis.call('DEL', KEYS[1])
return 1
