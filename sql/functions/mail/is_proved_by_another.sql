-- Returns whether what was found in DNS shows that an unproved mail domain belongs to another
-- account that has claimed it: its secret is in a TXT record; or the mail leads to this server, and
-- the website of the name is that account's. Internal.
create or replace function panel.is_proved_by_another(p_id bigint, p_found text, p_proofs text[])
returns boolean
language sql stable
as $$
  select exists (
    select
    from mail_domains d
    join mail_claims c on c.domain = d.domain and c.account_id <> d.account_id
    where d.id = p_id and (
      c.proof = any (p_proofs)
      or p_found in ('mx', 'address') and exists (
        select
        from site_names n
        join sites s on s.id = n.site_id
        where n.name = d.domain and s.account_id = c.account_id)));
$$;
