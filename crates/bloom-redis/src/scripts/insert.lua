-- Inserts elements into a growing filter, in order, and grows it. Follows cursor.lua.
-- KEYS[3]: which rebuild is under way. KEYS[4], if there is one: the kept count, `bitmap:ones`. ARGV[6]: bits of an element.
-- ARGV[7]: least time to live of all keys of the filter in ms, or '' if they have none. ARGV[8] and on: offsets, element by
-- element.
-- Returns a character an element, '1' new, '0' seen, and the rebuild; or nothing if a key is missing and that is reported.
--
-- As published: beyond the first bitmap an element that one of them holds is not inserted again; after an insert a new
-- bitmap is opened when twice the set bits of the current one exceed its size. Set bits are counted once a call: every
-- bit that is set meanwhile is one more, and no other client comes between. With a kept count, they are counted once a bitmap.
local probes, bits = tonumber(ARGV[6]), bytes * 8
local cursor, complete = read_filter()
if not cursor then
  return complete
end
if not complete then
  return false
end

local ones
local counter = KEYS[4]
if counter and redis.call('EXISTS', base .. cursor) == 1 then
  local number, count = string.match(redis.call('GET', counter) or '', '^(%d+):(%d+)$')
  if number == tostring(cursor) then
    ones = tonumber(count)
  end
  -- Until the end: a script that fails on its way leaves none that is too low.
  redis.call('DEL', counter)
end
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

local answers = {}
for first = 8, #ARGV, probes do
  local get, set = { '' }, { base .. cursor }
  for probe = 0, probes - 1 do
    local offset = ARGV[first + probe]
    get[#get + 1] = 'GET'
    get[#get + 1] = 'u1'
    get[#get + 1] = offset
    set[#set + 1] = 'SET'
    set[#set + 1] = 'u1'
    set[#set + 1] = offset
    set[#set + 1] = '1'
  end
  local seen = false
  if cursor > 0 then
    for number = cursor, 0, -1 do
      if holds(number, get) then
        seen = true
        break
      end
    end
  end
  local added = 0
  if not seen then
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
      end
    end
  end
  answers[#answers + 1] = added > 0 and '1' or '0'
end
if counter and ones then
  redis.call('SET', counter, cursor .. ':' .. ones)
end
local function live_on(key)
  if redis.call('PTTL', key) < tonumber(ARGV[7]) then
    redis.call('PEXPIRE', key, ARGV[7])
  end
end
if ARGV[7] ~= '' then
  live_on(KEYS[1])
  live_on(KEYS[2])
  for number = 0, cursor do
    live_on(base .. number)
  end
end
return { table.concat(answers), redis.call('GET', KEYS[3]) }
