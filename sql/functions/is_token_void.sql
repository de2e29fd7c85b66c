-- Whether a token is revoked, expired or of an older credential epoch: operations that it has begun
-- finish, waiting ones end unrun.
create or replace function panel.is_token_void(p_token_id bigint)
returns boolean
language sql stable
as $$
  select coalesce(bool_or(
    t.revoked_at is not null
    or t.expires_at <= now()
    or t.credential_epoch <> w.credential_epoch), false)
  from tokens t
  join owners w on w.id = t.owner_id
  where t.id = p_token_id;
$$;
