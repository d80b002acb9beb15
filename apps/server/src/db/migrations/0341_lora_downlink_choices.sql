-- How a command goes down to a LoRaWAN device, where that was chosen: {port, confirmed, expiresAt}. Null: the usual way.
alter table commands add column lora jsonb;
-- An item that the device does not acknowledge has ended when a gateway sent it.
alter table lora_downlinks add column confirmed boolean not null default true;
