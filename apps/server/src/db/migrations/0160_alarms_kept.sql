-- How long cleared alarms and the log of triggers are kept is a company's own choice: the oldest of each are found at once.
create index alarms_cleared_idx on alarms (tenant_id, cleared_at) where not active;
drop index trigger_runs_at_idx;
create index trigger_runs_kept_idx on trigger_runs (tenant_id, at);
