import { part } from '../../lib/sql/statement.ts'
/** Columns of a company `t`: for the company itself and for the operator's desk. */
export const COMPANY_COLUMNS = part`t.id, t.app_id as "appId", t.name, t.kind, t.status, t.expires_at as "expiresAt",
  t.grace_ends_at as "graceEndsAt", t.grace_days as "graceDays", t.frozen_reason as "frozenReason", t.time_zone as "timeZone",
  t.contact_name as "contactName", t.contact_phone as "contactPhone", t.contact_email as "contactEmail", t.industry, t.region,
  t.branding, t.settings, t.version, t.created_at as "createdAt",
  (select v.status from company_verifications v where v.tenant_id = t.id order by v.submitted_at desc, v.id desc limit 1) as verification`
