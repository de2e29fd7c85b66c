-- Which input of a request a refusal is about, by the name that its caller gives it: programs and
-- forms go by it, and not by the sentence.
alter table panel.operations add column field text;

grant select (field) on panel.operations to panel_api;
