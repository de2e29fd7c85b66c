import { type NoticeKind, noticeKinds } from './notice-kinds.ts'

// SQL functions with the list of the kinds of notices (generated-functions.ts).

const entries = Object.entries<NoticeKind>(noticeKinds)

const defaults = `
-- Returns whether a person of a role gets notices of a kind by default; null if it does not concern
-- that role. Internal.
create function panel.is_notice_default(p_kind text, p_role text)
returns boolean
language sql immutable strict
as $$
  select ('${JSON.stringify(
    Object.fromEntries(entries.map(([name, kind]) => [name, kind.defaults])),
  )}'::jsonb -> p_kind ->> p_role)::boolean
$$;`

const found = entries.flatMap(([name, { causes }]) =>
  causes === undefined ? [] : { name, causes },
)

const causes = `
-- Returns the causes for notices that exist now, except those reported when they occur. \`p_newer\`
-- is the newer release, if there is one. Internal.
create function panel.find_notice_causes(p_newer text)
returns table (kind text, key text, account_id bigint, content jsonb)
language plpgsql stable
as $$
#variable_conflict use_column
begin
  ${found
    .map(
      ({ name, causes }) => `return query
    select '${name}', c.* from (${causes}) c (key, account_id, content);`,
    )
    .join('\n  ')}
end;
$$;

-- The kinds whose causes it finds. Internal.
create function panel.found_notice_kinds() returns text[] language sql immutable
as $$ select '{${found.map(({ name }) => name).join()}}'::text[] $$;`

export const noticeFunctions = defaults + causes
