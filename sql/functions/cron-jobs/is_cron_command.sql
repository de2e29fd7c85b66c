-- Returns whether a text is a command of a cron job (src/model/cron-jobs/cron-jobs.ts).
create or replace function panel.is_cron_command(p_text text)
returns boolean
language sql immutable
as $$
  select coalesce(
    char_length(p_text) between 1 and 1000 and p_text !~ '^ | $|[[:cntrl:]%]'
      and not has_hidden(p_text),
    false);
$$;
