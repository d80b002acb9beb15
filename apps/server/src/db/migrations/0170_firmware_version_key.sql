-- Two spellings of one version: blanks around it and a "V" before its number say nothing (modules/ota/version-key.ts).
create function firmware_version_key(version text) returns text
  language sql immutable strict parallel safe
  return regexp_replace(regexp_replace(version, '^\s+|\s+$', '', 'g'), '^[vV](?=[0-9])', '');
create index device_firmware_version_key_idx on device_firmware (tenant_id, module, firmware_version_key(version));
drop index device_firmware_version_idx;
