-- Starts the courier's step for a website's certificate, or starts it again after the courier died,
-- under a new epoch, so that an earlier start can record nothing more.  Returns no row if nothing
-- is due.
--
-- An authority accepts 300 orders of an account in 3 hours (Let's Encrypt, the default).  These are
-- 250; renewals, which have weeks of time, get half, so that new websites need not wait for them.
create or replace function panel.start_order(
  p_site_id bigint,
  out epoch integer,
  out domain text,
  -- The names that the website is served under, its domain first, without those that the authority
  -- has refused.
  out served_names text[],
  -- Root's request, and its names.
  out names text[],
  out request text,
  out refused_names text[],
  -- The names of the served certificate, and whether it is due for renewal.
  out installed_names text[],
  out is_due boolean
)
returns setof record
language plpgsql volatile security definer
as $$
begin
  if exists (
    select from certificates c
    where c.site_id = p_site_id and c.request is not null
      and (select count(*) from certificates o where o.ordered_at > now() - interval '3 hours')
        >= case when c.expires_at is null then 250 else 125 end
  ) then
    update certificates c
    -- Spread out, so that they are not all due again at once.
    set due_at = now() + (5 + 10 * random()) * interval '1 minute'
    where c.site_id = p_site_id and c.step = 'order' and c.due_at <= now();
    return;
  end if;

  update site_aliases x set is_checked = true
  where x.site_id = p_site_id and not x.is_checked and x.desired = 'present' and x.added_by is null;
  return query
    update certificates c
    set epoch = c.epoch + 1,
      -- A renewal asks for them again.
      refused = case
        when c.attempts = 0 and c.request is null and c.renew_at <= now() then '{}'
        else c.refused
      end,
      ordered_at = case when c.request is null then c.ordered_at else now() end
    from sites s join accounts a on a.id = s.account_id
    where c.site_id = p_site_id and s.id = p_site_id and a.state in ('active', 'suspended')
      and c.step = 'order' and c.due_at <= now()
      and (select v.issues_certificates from server v)
    returning c.epoch, s.domain, array(
        select n.name from unnest(served_names(s.id)) with ordinality as n (name, position)
        where n.name <> all (c.refused) order by n.position),
      c.names, c.request, c.refused, c.installed_names,
      coalesce(c.renew_at <= now(), true);
end;
$$;
grant execute on function panel.start_order to panel_courier;
