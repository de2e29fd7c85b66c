-- Returns what needs an administrator's attention on the whole server, as far as rows show it: the
-- first few of each kind, and their number.
create or replace function panel.show_concerns()
returns jsonb
language sql stable security definer
as $$
  select jsonb_build_object(
    'services', (select service_warnings - idle_services() from server),
    'webhooks', (
      select coalesce(jsonb_agg(jsonb_build_object(
          'id', w.id,
          -- Without its path, which may contain a secret.
          'host', substring(w.url from '^https?://(?:[^/@]*@)?([^/?#]*)'),
          'trouble', w.trouble) order by w.url), '[]')
      from (
        select id, url, name_webhook_trouble(id) as trouble
        from webhooks
        where removed_at is null) w
      where w.trouble is not null),
    'certificates', (
      select jsonb_build_object('total', count(*), 'first', coalesce(
        jsonb_agg(c order by c.expires_at, c.domain) filter (where c.position <= 5), '[]'))
      from (
        select s.domain, a.username, c.expires_at,
          row_number() over (order by c.expires_at, s.domain) as position
        from certificates c
        join sites s on s.id = c.site_id
        join accounts a on a.id = s.account_id
        -- Renewal begins with a third of the life left: 30 days of 90.
        where c.expires_at < now() + interval '14 days') c),
    'unapplied', (
      select jsonb_build_object('total', count(*), 'first', coalesce(
        jsonb_agg(h.username order by h.username) filter (where h.position <= 5), '[]'))
      from (
        select a.username, row_number() over (order by a.username) as position
        from accounts a
        where a.state in ('active', 'suspended') and not a.is_applied
          and not exists (
            select from operations o
            where o.lane = a.id and o.state in ('blocked', 'queued', 'running', 'undoing'))) h));
$$;
grant execute on function panel.show_concerns to panel_api;
