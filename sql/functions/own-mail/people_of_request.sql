-- Returns the people whom a request for a new password is about, who may sign in and have been sent
-- fewer than three links within an hour: of a name the operator, else the account; of an e-mail
-- address all that have it, at most five. None for a request that was answered or is too old.
create or replace function panel.people_of_request(p_id bigint)
returns table (
  operator_id bigint,
  account_id bigint,
  name text,
  email text,
  epoch integer,
  -- Whether a new password revokes API tokens.
  has_tokens boolean
)
language sql stable strict security definer
as $$
  with request as (
    select r.entered, position('@' in r.entered) > 0 as is_email
    from password_requests r
    where r.id = p_id and r.requested_at > now() - interval '15 minutes'
  )
  select o.id, null, o.name, o.email, o.credential_epoch, exists (
      select from tokens t
      where t.operator_id = o.id and t.credential_epoch = o.credential_epoch
        and t.revoked_at is null and (t.expires_at is null or t.expires_at > now()))
  from request r
  join operators o on case when r.is_email then lower(o.email) = r.entered
    else o.name = r.entered end
  join sellers s on s.id = o.seller_id
  where s.suspended_at is null and (
    select count(*) from password_links l
    where l.operator_id = o.id and l.created_at > now() - interval '1 hour') < 3
  union all (
    select null, a.id, a.username, a.email, a.sign_on_epoch, false
    from request r
    join accounts a on case when r.is_email then lower(a.email) = r.entered
      else a.username = r.entered end
    where a.state = 'active'
      -- The operator of the same name is the one who signs in with it.
      and not exists (select from operators o where o.name = a.username)
      and (
        select count(*) from password_links l
        where l.account_id = a.id and l.created_at > now() - interval '1 hour') < 3
    order by a.username)
  limit 5;
$$;
grant execute on function panel.people_of_request to panel_courier;
