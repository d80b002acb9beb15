-- A text that goes to a model is looked through for secrets of devices, by their hash.
create index devices_secret_hash_idx on devices (secret_hash);
create index devices_previous_secret_hash_idx on devices (previous_secret_hash) where previous_secret_hash is not null;

-- The service of the company's own model refused its key; null: it did not, or the settings changed since.
alter table assistant_settings add column key_refused_at timestamptz;
