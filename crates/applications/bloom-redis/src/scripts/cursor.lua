-- The keys of a growing filter. Part of the scripts that need them.
-- KEYS[1]: the cursor. KEYS[2]: the parameter record. ARGV[1]: what the names of the bitmaps begin with. ARGV[2]: most bitmaps.
-- ARGV[3]: what a missing key is: 'reported', 'empty' or 'published'. ARGV[4]: what the record must hold. ARGV[5]: bytes of a
-- bitmap. ARGV[6]: bits of an element. ARGV[7] and on: offsets, element by element.
-- Names of bitmaps follow from the cursor, so that they cannot be among KEYS without another round trip. They share the
-- slot of a cluster with the cursor, or the server refuses them.
local base, most, report, bytes = ARGV[1], tonumber(ARGV[2]), ARGV[3] == 'reported', tonumber(ARGV[5])
local probes = tonumber(ARGV[6])

-- The reply to a command on a key; or nothing and an error reply.
local function ask(command, key)
  local reply = redis.pcall(command, key)
  if type(reply) ~= 'table' then
    return reply
  end
  return nil, reply
end

-- The number of the current bitmap, and whether all keys are there; or nothing and an error reply.
local function read_filter()
  local record, bad = ask('GET', KEYS[2])
  if bad then
    return nil, bad
  end
  if record and record ~= ARGV[4] then
    return nil, redis.error_reply('BADRECORD ' .. string.sub(record, 1, 200))
  end
  local text, bad = ask('GET', KEYS[1])
  if bad then
    return nil, bad
  end
  local cursor = text and string.match(text, '^%d+$') and tonumber(text)
  if text and (not cursor or cursor >= most) then
    return nil, redis.error_reply('BADCURSOR ' .. string.sub(text, 1, 40))
  end
  -- As published, a filter without a cursor has one bitmap.
  cursor = cursor or 0
  local complete = record and text and true
  for number = 0, cursor do
    local length, bad = ask('STRLEN', base .. number)
    if bad then
      return nil, bad
    end
    if length == 0 then
      complete = false
    elseif report and length ~= bytes then
      return nil, redis.error_reply('BADLENGTH ' .. number .. ' ' .. length)
    end
  end
  return cursor, complete or not report
end

-- Returns whether all bits of the element whose offsets begin at ARGV[first] are set in a bitmap.
local function are_set(key, first)
  local get = { key }
  for at = first, first + probes - 1 do
    get[#get + 1] = 'GET'
    get[#get + 1] = 'u1'
    get[#get + 1] = ARGV[at]
  end
  for _, bit in ipairs(redis.call('BITFIELD_RO', unpack(get))) do
    if bit == 0 then
      return false
    end
  end
  return true
end

local byte_of, offsets, masks = string.byte, {}, { [0] = 128, 64, 32, 16, 8, 4, 2, 1 }

-- Returns the same for the bytes of a bitmap.
local function are_set_in(text, first)
  for at = first, first + probes - 1 do
    local offset = offsets[at]
    if not offset then
      offset = tonumber(ARGV[at])
      offsets[at] = offset
    end
    local bit = offset % 8
    local mask = masks[bit]
    if (byte_of(text, (offset - bit) / 8 + 1) or 0) % (2 * mask) < mask then
      return false
    end
  end
  return true
end

-- The elements that a bitmap holds, by where their offsets begin.
local held = {}

-- Looks in a bitmap for the elements from ARGV[first] on that no other one holds. Reads the whole bitmap if it is small for so
-- many: a command takes the server some 4 us an element, and most absent elements are denied by one or two bits.
local function look(number, first)
  local key, left = base .. number, {}
  for at = first, #ARGV, probes do
    if not held[at] then
      left[#left + 1] = at
    end
  end
  local test, bitmap = are_set, key
  if bytes <= 32 * probes * #left then
    test, bitmap = are_set_in, redis.call('GETRANGE', key, 0, bytes - 1)
  end
  for _, at in ipairs(left) do
    held[at] = test(bitmap, at) or nil
  end
end
