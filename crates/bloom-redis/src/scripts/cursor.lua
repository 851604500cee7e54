-- The bitmaps of a growing filter. Part of the scripts that need them.
-- KEYS[1]: the cursor. ARGV[1]: what the names of the bitmaps begin with. ARGV[2]: most bitmaps. ARGV[3]: '1' if a bitmap
-- that is missing is reported, '0' if it is empty. ARGV[4]: the parameter record.
-- Names of bitmaps follow from the cursor, so that they cannot be among KEYS without another round trip. They share the
-- slot of a cluster with the cursor, or the server refuses them.
local base, most, report = ARGV[1], tonumber(ARGV[2]), ARGV[3] == '1'

-- The number of the current bitmap, or nothing and an error reply.
local function read_cursor()
  local text = redis.call('GET', KEYS[1])
  if not text then
    return 0
  end
  local number = string.match(text, '^%d+$') and tonumber(text)
  if not number or number >= most then
    return nil, redis.error_reply('BADCURSOR ' .. string.sub(text, 1, 40))
  end
  return number
end

-- Which bitmaps up to the cursor are missing: a table of numbers that are true, and whether there is any.
-- A cursor that is missing stands at bitmap 0, as published, unless there is a bitmap 1, or a parameter record, which is
-- written with a cursor: then it was lost.
local function find_missing(cursor)
  local missing, any = {}, false
  if report then
    for number = 0, cursor do
      if redis.call('EXISTS', base .. number) == 0 then
        missing[number], any = true, true
      end
    end
    if cursor == 0 and redis.call('EXISTS', KEYS[1]) == 0 then
      any = any or redis.call('EXISTS', base .. '1') == 1 or redis.call('EXISTS', ARGV[4]) == 1
    end
  end
  return missing, any
end

-- Whether all bits of an element are set in a bitmap.
local function holds(number, get)
  get[1] = base .. number
  for _, bit in ipairs(redis.call('BITFIELD_RO', unpack(get))) do
    if bit == 0 then
      return false
    end
  end
  return true
end
