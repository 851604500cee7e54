-- Puts a new generation in the place of a filter.
-- KEYS[1]: which rebuild is under way. KEYS[2]: the generations' record. KEYS[3] and on: part and new part, in turn.
-- ARGV[1]: the rebuild. ARGV[2]: time to live of the new parts in ms, or ''.
-- Returns 1 if it is done, 0 if the rebuild is not the one under way or lacks a part.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 0
end
for part = 3, #KEYS, 2 do
  if redis.call('EXISTS', KEYS[part + 1]) == 0 then
    return 0
  end
end
for part = 3, #KEYS, 2 do
  -- Renaming would free the old part in the foreground.
  redis.call('UNLINK', KEYS[part])
  redis.call('RENAME', KEYS[part + 1], KEYS[part])
  if ARGV[2] == '' then
    redis.call('PERSIST', KEYS[part])
  else
    redis.call('PEXPIRE', KEYS[part], ARGV[2])
  end
end
redis.call('DEL', KEYS[1])
redis.call('HINCRBY', KEYS[2], 'swaps', 1)
redis.call('HSET', KEYS[2], 'at', redis.call('TIME')[1], 'last', ARGV[1])
return 1
