-- Sets the time to live of a bitmap. Follows lifetime.lua.
-- KEYS[1]: the bitmap. ARGV[1], ARGV[2]: how, and the number.
-- Returns 1 if the bitmap is there, 0 otherwise.
if redis.call('EXISTS', KEYS[1]) == 0 then
  return 0
end
set_lifetime(KEYS[1], ARGV[1], ARGV[2])
return 1
