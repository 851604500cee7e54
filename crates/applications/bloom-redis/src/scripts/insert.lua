-- Inserts elements into a growing filter, in order, and grows it. Follows cursor.lua.
-- Returns a character an element, '1' new, '0' seen; or nothing if a key is missing and that is reported.
--
-- As published: beyond the first bitmap an element that one of them holds is not inserted again; after an insert a new
-- bitmap is opened when twice the set bits of the current one exceed its size. Set bits are counted once a call: every
-- bit that is set meanwhile is one more, and no other client comes between.
local bits = bytes * 8
local cursor, complete = read_filter()
if not cursor then
  return complete
end
if not complete then
  return nil
end
if ARGV[3] == 'empty' then
  redis.call('SETNX', KEYS[2], ARGV[4])
end

local ones
local function grow()
  if cursor + 1 >= most then
    return redis.error_reply('FULL ' .. most)
  end
  local key = base .. (cursor + 1)
  -- Where the slot is moving to another node of a cluster, a key that is not there is an error: before anything changed.
  ones = redis.call('BITCOUNT', key)
  -- A bitmap that is there keeps its last bit.
  redis.call('BITFIELD', key, 'INCRBY', 'u1', bits - 1, 0)
  cursor = redis.call('INCR', KEYS[1])
end

if cursor > 0 then
  for number = cursor, 0, -1 do
    look(number, 7)
  end
end
-- Only the offsets vary.
local set, answers = {}, {}
for at = 2, 4 * probes, 4 do
  set[at], set[at + 1], set[at + 3] = 'SET', 'u1', '1'
end
for first = 7, #ARGV, probes do
  local added = 0
  if not held[first] then
    set[1] = base .. cursor
    for probe = 0, probes - 1 do
      set[4 * probe + 4] = ARGV[first + probe]
    end
    for _, bit in ipairs(redis.call('BITFIELD', unpack(set))) do
      if bit == 0 then
        added = added + 1
      end
    end
    if added > 0 then
      ones = ones and ones + added or redis.call('BITCOUNT', base .. cursor)
      if ones * 2 > bits then
        local full = grow()
        if full then
          return full
        end
        -- The bitmap that was the current one has changed since it was looked into.
        look(cursor - 1, first + probes)
      end
    end
  end
  answers[#answers + 1] = added > 0 and '1' or '0'
end
return table.concat(answers)
