-- Returns whether a domain equals, or lies above or below, a mail domain that another account has
-- proved to be its own. Below a shared parent, names at and above that parent do not count, as for
-- websites (domain_conflict.sql). Internal: the caller holds the lock that keeps two accounts from
-- adding domains at once.
create or replace function panel.conflicts_with_mail(p_account_id bigint, p_domain text)
returns boolean
language sql stable
as $$
  with above as (
    select first, array_to_string(labels[first:], '.') as name
    from string_to_array(p_domain, '.') as labels
    cross join lateral generate_series(1, cardinality(labels)) as first
  )
  select exists (
      select
      from above
      join mail_domains d on d.domain = above.name
      where d.account_id is distinct from p_account_id and d.verified_at is not null
        and not exists (
          select
          from above nearer
          join shared_parents p on p.domain = nearer.name
          where nearer.first > 1 and nearer.first <= above.first))
    or exists (
      select
      from mail_domains d
      where d.account_id is distinct from p_account_id and d.verified_at is not null
        -- Names below `example.com` begin, read backwards, with `moc.elpmaxe.`; a slash is the
        -- character that follows the dot.
        and reverse(d.domain) collate "C" > reverse(p_domain) || '.'
        and reverse(d.domain) collate "C" < reverse(p_domain) || '/'
        and not exists (
          select
          from shared_parents p
          where (p.domain = p_domain or right(p.domain, length(p_domain) + 1) = '.' || p_domain)
            and right(d.domain, length(p.domain) + 1) = '.' || p.domain));
$$;
