-- After the bits of a filter were set, in one transaction with them. Follows lifetime.lua.
-- KEYS[1]: the bitmap. KEYS[2]: the name of open.lua, if that was sent. ARGV[1]: the mark of open.lua. ARGV[2], ARGV[3]: how
-- the time to live is set, and the number.
-- Returns 1 if the bitmap is there, 0 if it was missing and is again.
-- The length: the cheapest question that a list refuses.
if type(redis.pcall('STRLEN', KEYS[1])) == 'table' then
  local items = redis.pcall('LRANGE', KEYS[1], 0, 1)
  if #items == 1 and items[1] == ARGV[1] then
    redis.call('UNLINK', KEYS[1])
    if KEYS[2] and redis.call('EXISTS', KEYS[2]) == 1 then
      redis.call('RENAME', KEYS[2], KEYS[1])
    end
    return 0
  end
  -- The key of somebody else must not expire because a filter took it for its own.
  return 1
end
set_lifetime(KEYS[1], ARGV[2], ARGV[3])
return 1
