-- Puts a new generation in the place of a growing filter. Follows cursor.lua, whose KEYS[1] and base are those of the new
-- generation here.
-- KEYS[2]: which rebuild is under way. KEYS[3]: the generations' record. KEYS[4]: the cursor of the filter, KEYS[5] its kept
-- count. ARGV[5]: what the names of its bitmaps begin with. ARGV[6]: the rebuild. ARGV[7]: bits of a bitmap.
-- Returns 1 if it is done, 0 if the rebuild is not the one under way or lacks a bitmap.
local cursor, problem = read_cursor()
if not cursor then
  return problem
end
local _, any_missing = find_missing(cursor)
if redis.call('GET', KEYS[2]) ~= ARGV[6] or any_missing then
  return 0
end
-- Where the slot is moving to another node of a cluster, a key that is not there is an error: here, before anything changed.
local old = 0
while redis.call('EXISTS', ARGV[5] .. old) == 1 do
  old = old + 1
end
for number = 0, old - 1 do
  redis.call('UNLINK', ARGV[5] .. number)
end
for number = 0, cursor do
  local key = ARGV[5] .. number
  redis.call('RENAME', base .. number, key)
  redis.call('PERSIST', key)
  if redis.call('STRLEN', key) * 8 < tonumber(ARGV[7]) then
    redis.call('SETBIT', key, ARGV[7] - 1, 0)
  end
end
redis.call('SET', KEYS[4], cursor)
redis.call('DEL', KEYS[1], KEYS[2], KEYS[5])
redis.call('HINCRBY', KEYS[3], 'swaps', 1)
redis.call('HSET', KEYS[3], 'at', redis.call('TIME')[1], 'last', ARGV[6])
return 1
