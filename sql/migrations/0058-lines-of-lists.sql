-- A job, whatever it is of: one line of the lists that sql/functions/list_…_jobs.sql make.
create type panel.job as (
  kind         text,
  id           text,
  task         text,
  state        text,
  account      text,
  asked_by     text,
  tries        integer,
  created_at   timestamptz,
  due_at       timestamptz,
  started_at   timestamptz,
  finished_at  timestamptz,
  waited_ms    float8,
  ran_ms       float8,
  error        text,
  -- The answer that refused it.
  refusal      bytea,
  -- The job before it in its lane.
  behind       text
);

-- Wrong passwords and codes are lines of the history too; there are only so many of them in a day,
-- which are counted by this.
create index history_refused on panel.history (at) where action = 'session/refuse';
