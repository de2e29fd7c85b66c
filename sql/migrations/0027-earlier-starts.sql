-- What became of each start of an operation.

alter table panel.operations
  -- The starts before the last one, in order: of each its number, why it came to nothing, and its
  -- steps, where somebody lived to tell them; null where there was none.
  add column earlier_starts jsonb,
  -- Why what it had begun could not be undone (yet); `error` stays what it has failed of.
  add column undo_error     text;
