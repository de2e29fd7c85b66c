-- Returns why an account may not take a domain, or null where it may: `neighbour`, it lies above or
-- below a name of another account, or is its mail domain, or the mail server's name;
-- `shared-parent`, it is a shared parent or lies above one, which only root on the command line
-- gives.  Null too for a domain that is taken itself: the insert of its names fails, after that of
-- a username that is taken as well.
-- `p_account_id` is null for an account that is only being created.  Internal: the caller holds the
-- lock that keeps two accounts from adding domains at once.
--
-- Below a shared parent, names at and above that parent do not count: each account takes a name of
-- its own there, and no name above or below another account's.  For root, names below a shared
-- parent do not count either.
create or replace function panel.domain_conflict(
  p_account_id bigint,
  p_domain text,
  p_is_root boolean
)
returns text
language sql stable
as $$
  with above as (
    select first, array_to_string(labels[first:], '.') as name
    from string_to_array(p_domain, '.') as labels
    cross join lateral generate_series(2, cardinality(labels)) as first
  ), own as (
    -- The shared parents that equal the domain or are below it.
    select p.domain
    from shared_parents p
    where p_domain in (p.domain, 'www.' || p.domain)
      or right(p.domain, length(p_domain) + 1) = '.' || p_domain
  )
  select case
    when exists (select from site_names n where n.name in (p_domain, 'www.' || p_domain))
      then null
    when exists (
        select
        from above
        join site_names n on n.name = above.name
        join sites s on s.id = n.site_id
        where s.account_id is distinct from p_account_id
          and not exists (
            select
            from above nearer
            join shared_parents p on p.domain = nearer.name
            where nearer.first <= above.first))
      or exists (
        select
        from site_names n
        join sites s on s.id = n.site_id
        where s.account_id is distinct from p_account_id
          -- Names below `example.com` begin, read backwards, with `moc.elpmaxe.`; a slash is the
          -- character that follows the dot.
          and reverse(n.name) collate "C" > reverse(p_domain) || '.'
          and reverse(n.name) collate "C" < reverse(p_domain) || '/'
          and not exists (
            select from own where right(n.name, length(own.domain) + 1) = '.' || own.domain))
      or conflicts_with_mail(p_account_id, p_domain)
      then 'neighbour'
    -- Mail programs of all customers trust the mail server's name.
    when not p_is_root and exists (
        select from server s
        where s.mail ->> 'host' in (p_domain, 'www.' || p_domain)
          or right(p_domain, length(s.mail ->> 'host') + 1) = '.' || (s.mail ->> 'host'))
      then 'neighbour'
    when not p_is_root and exists (select from own) then 'shared-parent'
  end;
$$;
