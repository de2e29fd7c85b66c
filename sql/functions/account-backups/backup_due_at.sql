-- Returns when the last scheduled backup of an account was due. Internal.
create or replace function panel.backup_due_at(p_account_id bigint, p_backups text)
returns timestamptz
language sql stable
as $$
  select case
    when slot <= now() then slot
    when p_backups = 'hourly' then slot - interval '1 hour'
    else slot - interval '1 day'
  end
  from (
    select case p_backups
      when 'hourly' then date_trunc('hour', now()) + p_account_id % 60 * interval '1 minute'
      else date_trunc('day', now()) + (60 + p_account_id * 37 % 240) * interval '1 minute'
    end as slot) s;
$$;
