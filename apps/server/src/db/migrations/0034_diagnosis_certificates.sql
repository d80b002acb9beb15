-- The doctor says when a device's certificate was revoked, and whether it has another that counts.
grant select (device_id, not_after, revoked_at) on device_certificates to :telemetry;
