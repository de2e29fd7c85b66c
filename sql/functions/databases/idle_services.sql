-- Returns the parts of accounts whose service no account uses: it may be down. Internal.
create or replace function panel.idle_services()
returns text[]
language sql stable
as $$
  select case when exists (select from databases) then '{}' else '{databases}' end::text[];
$$;
