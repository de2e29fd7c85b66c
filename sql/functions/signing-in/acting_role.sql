-- Returns the role that the session acts as: the one that it logged in as, or has become since. A
-- session becomes only roles that it is a member of, so no role can pretend to be another.
-- Internal.
create or replace function panel.acting_role()
returns text
language sql stable
as $$
  select coalesce(nullif(current_setting('role'), 'none'), session_user);
$$;
