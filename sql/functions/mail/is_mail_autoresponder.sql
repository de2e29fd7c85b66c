-- Returns whether a value is an autoresponder (src/model/mail/autoresponder.ts), as far as the
-- machine depends on it, which validates it again.
create or replace function panel.is_mail_autoresponder(p_value jsonb)
returns boolean
language sql immutable
as $$
  select coalesce(
    jsonb_typeof(p_value) = 'object' and octet_length(p_value::text) <= 20000
      and jsonb_typeof(p_value -> 'subject') = 'string'
      and jsonb_typeof(p_value -> 'message') = 'string'
      and jsonb_typeof(p_value -> 'days') = 'number',
    false);
$$;
