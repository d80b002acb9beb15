-- Events of ChirpStack's MQTT integration, read from the broker that a connection names.
alter table lora_connections
  -- {host, port, tls, username, prefix}; null: events come by HTTP, or not at all. The password is in secrets_cipher.
  add column mqtt jsonb,
  add column mqtt_state text not null default 'off' check (mqtt_state in ('off', 'waiting', 'connected', 'failed')),
  -- {kind, code, text} why the broker is not listened to
  add column mqtt_fault jsonb,
  add column mqtt_since timestamptz,
  -- the process that listens, for as long as it says so: two clients of one name would end each other's connection
  add column mqtt_holder uuid,
  add column mqtt_held_until timestamptz;

-- Where ChirpStack says that a device is (event location), and how it knows.
alter table lora_devices
  add column location jsonb,
  add column location_source text,
  add column location_at timestamptz;

-- A device is found by its DevEUI, which is written in small or capital letters.
create index devices_dev_eui_idx on devices (tenant_id, lower(device_no)) where length(device_no) = 16;
