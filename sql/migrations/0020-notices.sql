-- Notices by e-mail: causes, which people are notified of each, and the mails to them. The kinds
-- are the list in src/model/notices/notice-kinds.ts.

-- Failures of `panel backup create`; a later backup ends the trouble.
create table panel.failed_backups (
  failed_at  timestamptz primary key default now(),
  error      text        not null
);

-- A reason for notices, once: the same one that comes back after its end is another row.
create table panel.notice_causes (
  id          bigint      generated always as identity primary key,
  kind        text        not null,
  -- Identifies the cause within its kind while it lasts.
  key         text        not null check (char_length(key) <= 300),
  -- The account that it is about, whose people get it; null for the whole server or one person.
  account_id  bigint      references panel.accounts on delete cascade,
  -- The values of its sentence.
  content     jsonb       not null check (jsonb_typeof(content) = 'object'),
  began_at    timestamptz not null default now(),
  -- Since when it is not found any more; null while it is.
  gone_since  timestamptz,
  ended_at    timestamptz
);

create unique index notice_causes_open on panel.notice_causes (kind, key) where ended_at is null;
create index notice_causes_ended on panel.notice_causes (ended_at) where ended_at is not null;
create index notice_causes_account on panel.notice_causes (account_id)
  where account_id is not null;

-- Mails with one or several notices to one person.
create table panel.notice_mails (
  id           uuid        primary key default gen_random_uuid(),
  operator_id  bigint      references panel.operators on delete cascade,
  account_id   bigint      references panel.accounts on delete cascade,
  state        text        not null default 'due' check (state in ('due', 'sent', 'failed')),
  -- Counted before each attempt, so that one that is killed each time comes to an end.
  attempts     integer     not null default 0,
  due_at       timestamptz not null default now(),
  created_at   timestamptz not null default now(),
  -- Why the last attempt failed, in words for the administrator.
  error        text,

  check (num_nonnulls(operator_id, account_id) = 1)
);

create index notice_mails_due on panel.notice_mails (due_at) where state = 'due';
create index notice_mails_created on panel.notice_mails (created_at);
create index notice_mails_operator on panel.notice_mails (operator_id)
  where operator_id is not null;
create index notice_mails_account on panel.notice_mails (account_id)
  where account_id is not null;

-- A cause of which one person is notified.
create table panel.notices (
  cause_id     bigint      not null references panel.notice_causes on delete cascade,
  operator_id  bigint      references panel.operators on delete cascade,
  account_id   bigint      references panel.accounts on delete cascade,
  created_at   timestamptz not null default now(),
  -- Null until a mail takes it.
  mail_id      uuid        references panel.notice_mails on delete cascade,

  unique (cause_id, operator_id),
  unique (cause_id, account_id),
  check (num_nonnulls(operator_id, account_id) = 1)
);

create index notices_waiting on panel.notices (created_at) where mail_id is null;
create index notices_mail on panel.notices (mail_id) where mail_id is not null;
create index notices_operator on panel.notices (operator_id) where operator_id is not null;
create index notices_account on panel.notices (account_id) where account_id is not null;

-- Choices of people that differ from a kind's default.
create table panel.notice_choices (
  operator_id  bigint      references panel.operators on delete cascade,
  account_id   bigint      references panel.accounts on delete cascade,
  kind         text        not null,
  is_chosen    boolean     not null,

  unique (operator_id, kind),
  unique (account_id, kind),
  check (num_nonnulls(operator_id, account_id) = 1)
);

create index notice_choices_account on panel.notice_choices (account_id)
  where account_id is not null;

grant select, insert, update, delete on panel.notice_choices to panel_api;
