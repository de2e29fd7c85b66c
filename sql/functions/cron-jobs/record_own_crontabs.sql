-- Records the lines of accounts' own crontabs, as a JSON list of objects with `username`, `version`
-- and `lines`, and deletes those that are missing on the machine. Users without an account are
-- skipped.
create or replace function panel.record_own_crontabs(p_changed jsonb, p_missing text[])
returns void
language sql volatile security definer
as $$
  delete from own_crontabs c
  using accounts a
  where a.id = c.account_id and a.username = any (p_missing);
  insert into own_crontabs as c (account_id, version, lines)
  select a.id, r.version, r.lines
  from jsonb_to_recordset(p_changed) as r (username text, version text, lines text[])
  join accounts a on a.username = r.username and a.state <> 'terminated'
  on conflict (account_id) do update set version = excluded.version, lines = excluded.lines;
$$;
grant execute on function panel.record_own_crontabs to panel_worker;
