-- Puts a new generation in the place of a growing filter. Follows cursor.lua, whose keys and base are those of the new
-- generation here.
-- KEYS[3]: which rebuild is under way. KEYS[4]: the generations' record. KEYS[5] to KEYS[7]: the cursor of the filter, its
-- parameter record and its kept count. ARGV[6]: what the names of its bitmaps begin with. ARGV[7]: the rebuild.
-- Returns 1 if it is done, 0 if the rebuild is not the one under way or lacks a key.
local cursor, complete = read_filter()
if not cursor then
  return complete
end
if redis.call('GET', KEYS[3]) ~= ARGV[7] or not complete then
  return 0
end
-- Where the slot is moving to another node of a cluster, a key that is not there is an error: here, before anything changed.
local old = {}
for number = 0, most - 1 do
  if redis.call('EXISTS', ARGV[6] .. number) == 1 then
    old[#old + 1] = ARGV[6] .. number
  end
end
for _, key in ipairs(old) do
  redis.call('UNLINK', key)
end
for number = 0, cursor do
  redis.call('RENAME', base .. number, ARGV[6] .. number)
  redis.call('PERSIST', ARGV[6] .. number)
end
redis.call('SET', KEYS[5], cursor)
redis.call('SET', KEYS[6], ARGV[4])
redis.call('DEL', KEYS[1], KEYS[2], KEYS[3], KEYS[7])
redis.call('HINCRBY', KEYS[4], 'swaps', 1)
redis.call('HSET', KEYS[4], 'at', redis.call('TIME')[1], 'last', ARGV[7])
return 1
