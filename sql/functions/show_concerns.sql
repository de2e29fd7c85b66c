-- What on the whole server an administrator should look at, as lists of the first few.
create or replace function panel.show_concerns()
returns jsonb
language sql stable security definer
as $$
  select jsonb_build_object(
    'services', (
      select to_jsonb(array_remove(array[
          websites_warning, sftp_warning,
          case when exists (select from databases) then databases_warning end], null))
      from server),
    'webhooks', (
      select coalesce(jsonb_agg(jsonb_build_object(
          'id', w.id,
          -- Without its path, which may hold a secret.
          'host', substring(w.url from '^https?://(?:[^/@]*@)?([^/?#]*)'),
          'isUnreached', u.is_unreached) order by w.url), '[]')
      from webhooks w
      cross join lateral (
        -- More are counted by is_failing.
        select count(*) between 1 and 99 and bool_and(l.state = 'failed') as is_unreached
        from (
          select d.state
          from deliveries d
          join events e on e.id = d.event_id and not e.is_test
          where d.webhook_id = w.id and d.state in ('delivered', 'failed')
          order by d.created_at desc
          limit 100) l) u
      where w.removed_at is null and (u.is_unreached or is_failing(w.id))),
    'certificates', (
      select coalesce(jsonb_agg(c), '[]')
      from (
        select s.domain, a.username, c.expires_at
        from certificates c
        join sites s on s.id = c.site_id
        join accounts a on a.id = s.account_id
        where c.expires_at < now() + interval '14 days' and c.error is not null
        order by c.expires_at
        limit 5) c),
    'half', (
      select coalesce(jsonb_agg(h.username), '[]')
      from (
        select a.username from accounts a
        where a.state in ('active', 'suspended') and not a.is_applied
          and not exists (
            select from operations o
            where o.lane = a.id and o.state in ('queued', 'running', 'undoing'))
        order by a.username
        limit 5) h));
$$;
grant execute on function panel.show_concerns to panel_api;
