-- Puts a new generation in the place of a filter. Follows lifetime.lua.
-- KEYS[1]: which rebuild is under way. KEYS[2]: the generations' record. KEYS[3] and on: part and new part, in turn.
-- ARGV[1]: the rebuild. ARGV[2], ARGV[3]: how the time to live of the parts is set, and the number. ARGV[4] and on: bytes of
-- each part.
-- Returns 1 if it is done, 0 if the rebuild is not the one under way or lacks a part.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 0
end
for part = 3, #KEYS, 2 do
  if redis.call('STRLEN', KEYS[part + 1]) ~= tonumber(ARGV[(part + 5) / 2]) then
    return 0
  end
end
for part = 3, #KEYS, 2 do
  local left = redis.call('PTTL', KEYS[part])
  -- Renaming would free the old part in the foreground.
  redis.call('UNLINK', KEYS[part])
  redis.call('RENAME', KEYS[part + 1], KEYS[part])
  -- The new part has the lease of the rebuild; it gets what the old one had.
  if left > 0 then
    redis.call('PEXPIRE', KEYS[part], left)
  else
    redis.call('PERSIST', KEYS[part])
  end
  set_lifetime(KEYS[part], ARGV[2], ARGV[3])
end
redis.call('DEL', KEYS[1])
redis.call('HINCRBY', KEYS[2], 'swaps', 1)
redis.call('HSET', KEYS[2], 'at', redis.call('TIME')[1], 'last', ARGV[1])
return 1
