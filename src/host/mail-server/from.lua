-- Refuses mail of a login whose From, or Sender, is not one of its own: Postfix has checked the
-- envelope alone. Written by the panel, which overwrites changes.

local names_file = '/etc/panel-mail/from-domains'

-- Domains and addresses that a login may use; nil if it may use none. Read each time, as it may
-- have changed a moment ago.
local function names_of(login)
  local file = io.open(names_file, 'r')
  if not file then return nil end
  local names
  for line in file:lines() do
    local key, list = line:match('^(%S+)%s+(%S+)$')
    if key == login then
      names = names or {}
      for name in list:gmatch('[^,]+') do names[name] = true end
    end
  end
  file:close()
  return names
end

local function refuse(task, why)
  task:set_pre_result{ action = 'reject', message = '5.7.1 ' .. why, module = 'panel_from' }
  return true, 1.0, why
end

local function check(task)
  local login = task:get_user()
  if not login then return false end
  -- The panel's mail service has checked the headers of scripts. Names with a dash and without an
  -- @ are those that it states: no mailbox has one. It has only domains of websites signed by none.
  if login:match('^script%-%d+$') then return false end
  if login:match('^unsigned%-%d+$') then
    task:disable_symbol('DKIM_SIGNED')
    return false
  end
  local names = names_of(login:lower())
  if not names then return refuse(task, 'This login may not send') end
  local from = task:get_header_full('From')
  if not from or #from ~= 1 then return refuse(task, 'The message needs one From header') end
  local addresses = task:get_from{ 'mime', 'orig' } or {}
  if #addresses == 0 then return refuse(task, 'The message has no address in From') end
  local sender = task:get_header_full('Sender') or {}
  if #sender > 1 then return refuse(task, 'The message has several Sender headers') end
  local all = {}
  for _, one in ipairs(addresses) do all[#all + 1] = one.addr or '' end
  if sender[1] then
    local parsed = require('rspamd_util').parse_mail_address(sender[1].decoded, task:get_mempool())
    if not parsed or #parsed == 0 then return refuse(task, 'The Sender header has no address') end
    for _, one in ipairs(parsed) do all[#all + 1] = one.addr or '' end
  end
  for _, address in ipairs(all) do
    address = address:lower()
    local domain = address:match('@([^@]+)$') or ''
    if not names[address] and not names[domain] then
      return refuse(task, 'From is not an address of this login')
    end
  end
  return false
end

rspamd_config:register_symbol{
  name = 'PANEL_FROM',
  type = 'prefilter',
  priority = 10,
  flags = 'empty',
  callback = check,
}
