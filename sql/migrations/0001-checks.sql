-- Checks of tables with many writes. PostgreSQL reads the text of every check of a table again at
-- each statement that writes to it: of 86 us of an insert into operations that was 45. A call of a
-- function is a short text, and the function is kept. They have a schema of their own, because each
-- release drops the functions of `panel` and creates its own. These are as fixed as the tables: a
-- change of one is a migration.
create schema if not exists panel_checks;
grant usage on schema panel_checks to public;

create or replace function panel_checks.is_operation(
  state text, status integer, body bytea, finished_at timestamptz, is_cancelled boolean,
  is_server boolean, account_id bigint, token_id bigint, session_id bigint, key text,
  fingerprint bytea, caller_role text)
returns boolean
language plpgsql immutable parallel safe
as $$
begin
  return state in ('claimed', 'blocked', 'queued', 'running', 'undoing', 'done', 'failed')
    -- Exactly the finished operations have an answer, and a 5xx is never one.
    and (state = 'done') = (status is not null)
    and (status is null) = (body is null)
    and status between 200 and 499
    and (state in ('done', 'failed')) = (finished_at is not null)
    and (not is_cancelled or state = 'failed')
    and (not is_server or account_id is null)
    and num_nulls(key, fingerprint) in (0, 2)
    and num_nonnulls(token_id, session_id) <= 1
    and (key is not null or num_nonnulls(token_id, session_id) = 0)
    and char_length(key) between 1 and 255
    and key !~ '[^ -~]'
    and octet_length(fingerprint) = 32
    and caller_role in ('administrator', 'reseller', 'customer');
end;
$$;

create or replace function panel_checks.is_account(
  username text, email text, desired text, state text, suspend_reason text, suspended_by text)
returns boolean
language plpgsql immutable parallel safe
as $$
begin
  return username ~ '^[a-z][a-z0-9_-]{0,30}[a-z0-9]$'
    and char_length(email) <= 254
    and desired in ('active', 'suspended', 'terminated')
    and state in ('provisioning', 'active', 'suspended', 'terminating', 'terminated')
    and char_length(suspend_reason) <= 500
    and suspended_by in ('administrator', 'reseller');
end;
$$;

create or replace function panel_checks.is_event(name text)
returns boolean
language plpgsql immutable parallel safe
as $$
begin
  return name in ('account.created', 'account.deleted', 'account.suspended', 'account.unsuspended',
    'site.created', 'site.deleted', 'ssl.issued', 'database.created', 'database.deleted',
    'mail.domain_created', 'mail.mailbox_created', 'backup.completed');
end;
$$;

create or replace function panel_checks.is_delivery(
  state text, attempts integer, max_attempts integer, is_blocked boolean, queue_job_id bigint,
  finished_at timestamptz)
returns boolean
language plpgsql immutable parallel safe
as $$
begin
  return state in ('due', 'delivered', 'failed', 'cancelled')
    and max_attempts in (1, 3)
    and attempts between 0 and max_attempts
    and is_blocked = (queue_job_id is null)
    and (state = 'due') = (finished_at is null);
end;
$$;
