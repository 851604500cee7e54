-- The keys of a growing filter. Part of the scripts that need them.
-- KEYS[1]: the cursor. KEYS[2]: the parameter record. ARGV[1]: what the names of the bitmaps begin with. ARGV[2]: most bitmaps.
-- ARGV[3]: '1' if keys that are missing are reported, '0' if they are empty. ARGV[4]: what the record must hold. ARGV[5]: bytes
-- of a bitmap.
-- Names of bitmaps follow from the cursor, so that they cannot be among KEYS without another round trip. They share the
-- slot of a cluster with the cursor, or the server refuses them.
local base, most, report, bytes = ARGV[1], tonumber(ARGV[2]), ARGV[3] == '1', tonumber(ARGV[5])

-- The number of the current bitmap, and whether all keys are there; or nothing and an error reply.
local function read_filter()
  local record = redis.call('GET', KEYS[2])
  if record and record ~= ARGV[4] then
    return nil, redis.error_reply('BADRECORD ' .. string.sub(record, 1, 200))
  end
  local text = redis.call('GET', KEYS[1])
  local cursor = text and string.match(text, '^%d+$') and tonumber(text)
  if text and (not cursor or cursor >= most) then
    return nil, redis.error_reply('BADCURSOR ' .. string.sub(text, 1, 40))
  end
  -- As published, a filter without a cursor has one bitmap.
  cursor = cursor or 0
  local complete = record and text and true
  for number = 0, report and cursor or -1 do
    local length = redis.call('STRLEN', base .. number)
    if length == 0 then
      complete = false
    elseif length ~= bytes then
      return nil, redis.error_reply('BADLENGTH ' .. number .. ' ' .. length)
    end
  end
  return cursor, complete or not report
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
