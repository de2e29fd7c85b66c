-- Callers tell refusals apart by their code, which a repeat gets again with the answer.

-- The code of a refusal (src/errors.ts); an earlier release leaves it out.
alter table panel.operations add column reason text;

grant select (reason) on panel.operations to panel_api;
