-- Whether a domain lies above or below one of another seller's websites.  Internal: the caller
-- holds the lock that keeps two sellers from adding domains at once.
create or replace function panel.is_domain_foreign(p_seller_id bigint, p_domain text)
returns boolean
language sql stable
as $$
  select exists (
      select
      from string_to_array(p_domain, '.') as labels
      cross join lateral generate_series(2, cardinality(labels)) as first
      join site_names n on n.name = array_to_string(labels[first:], '.')
      join sites s on s.id = n.site_id
      join accounts a on a.id = s.account_id
      where a.seller_id <> p_seller_id)
    or exists (
      select
      from sites s
      join accounts a on a.id = s.account_id
      where a.seller_id <> p_seller_id
        -- Names below `example.com` begin, read backwards, with `moc.elpmaxe.`; a slash is the
        -- character that follows the dot.
        and reverse(s.domain) collate "C" > reverse(p_domain) || '.'
        and reverse(s.domain) collate "C" < reverse(p_domain) || '/');
$$;
