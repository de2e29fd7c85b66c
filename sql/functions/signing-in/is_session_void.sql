-- Whether a session is void, which is more than having run out: it was revoked, it is of an older
-- epoch of its owner's credentials or of its account, or that holds for the token or the session
-- that it came from.  Internal.
create or replace function panel.is_session_void(p_id bigint)
returns boolean
language sql stable strict
as $$
  select s.revoked_at is not null
    or s.epoch <> coalesce(o.credential_epoch, a.sign_on_epoch)
    or exists (
      select from tokens t join operators w on w.id = t.operator_id
      where t.id = s.token_id
        and (t.revoked_at is not null or t.credential_epoch <> w.credential_epoch))
    or coalesce(is_session_void(s.parent_id), false)
  from sessions s
  left join operators o on o.id = s.operator_id
  left join accounts a on a.id = s.account_id
  where s.id = p_id;
$$;
