-- Returns the state of the server that rows show in addition to the snapshot: the last backups of
-- the panel, and certificates that expire soon.
create or replace function panel.show_server()
returns jsonb
language sql stable security definer
as $$
  select jsonb_build_object(
    'id', (select s.id from server s),
    'backups', coalesce((
      select jsonb_agg(to_jsonb(b) order by b.started_at desc)
      from (
        select path, bytes, started_at, duration_ms, jsonb_array_length(warnings) as warnings
        from backups order by started_at desc limit 5) b), '[]'),
    'certificates', coalesce((
      select jsonb_agg(to_jsonb(c) order by c.expires_at)
      from (
        select s.domain, a.username, c.expires_at
        from certificates c
        join sites s on s.id = c.site_id
        join accounts a on a.id = s.account_id
        where c.expires_at < now() + interval '30 days'
        order by c.expires_at limit 20) c), '[]'));
$$;
grant execute on function panel.show_server to panel_api;
