-- Returns whether a value is a list of filters (src/model/mail/filters.ts), as far as the schema
-- depends on it; the machine validates it again.
create or replace function panel.is_mail_filters(p_value jsonb)
returns boolean
language sql immutable
as $$
  select coalesce(
    case
      when jsonb_typeof(p_value) = 'array'
        then jsonb_array_length(p_value) <= 50 and octet_length(p_value::text) <= 100000
    end,
    false);
$$;
