-- The doctor looks at the card of a device beside its connection.
create policy telemetry_read on sim_cards for select to :telemetry using (true);
grant select on sim_cards to :telemetry;
