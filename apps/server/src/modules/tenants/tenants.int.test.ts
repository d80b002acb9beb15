import { DEFAULT_SETTINGS } from '@thingwright/contracts/company-settings'
import { beforeAll, describe, expect, it } from 'vitest'
import { company, type Management, management, refusal } from '../../db/testing/management.ts'
import { raw } from '../../lib/testing/raw.ts'
import { createTenantsService, type TenantsService } from './index.ts'

let m: Management
let tenants: TenantsService
beforeAll(async () => {
  m = await management()
  tenants = createTenantsService(m.database)
})

describe('settings of a company', () => {
  it('are the defaults until something is set, and only that is changed then', async () => {
    const own = await company(m.db)
    expect(await tenants.settings(own.id)).toEqual(DEFAULT_SETTINGS)
    await tenants.updateSettings(own.ctx, 'retention', { telemetryDays: 30 }, 'company.retention')
    await tenants.updateSettings(own.ctx, 'security', { sessionHours: 8 }, 'security.update')
    expect(await tenants.settings(own.id)).toEqual({
      ...DEFAULT_SETTINGS,
      retention: { ...DEFAULT_SETTINGS.retention, telemetryDays: 30 },
      security: { sessionHours: 8 },
    })
    const { items } = await m.audit.service.list(own.ctx, { action: 'company.retention' })
    expect(items).toMatchObject([
      { before: { retention: { telemetryDays: 400 } }, after: { retention: { telemetryDays: 30 } } },
    ])
  })

  it('are each company’s own', async () => {
    const [own, other] = [await company(m.db), await company(m.db)]
    await tenants.updateSettings(own.ctx, 'retention', { telemetryDays: 7 }, 'company.retention')
    expect((await tenants.settings(other.id)).retention.telemetryDays).toBe(400)
  })

  // Tried: too short and too long times, less than the law's 180 days, a fraction, a text, an unknown name.
  it('refuse what breaks the rules, naming the field', async () => {
    const own = await company(m.db)
    for (const change of [
      { telemetryDays: 0 },
      { telemetryDays: 401 },
      { auditDays: 179 },
      { telemetryDays: 1.5 },
      { telemetryDays: '30' },
      { forever: true },
    ]) {
      const error = await refusal(tenants.updateSettings(own.ctx, 'retention', change as never, 'company.retention'))
      expect(error.code).toBe('request.validation')
      expect(Object.keys(error.fields ?? {})).toEqual([`retention.${Object.keys(change)[0]}`])
    }
    expect(await tenants.settings(own.id)).toEqual(DEFAULT_SETTINGS)
  })

  it('fall back to the default where what is stored makes no sense', async () => {
    const own = await company(m.db)
    await m.db.superuser.query('update tenants set settings = $2 where id = $1', [
      own.id,
      JSON.stringify({ retention: { telemetryDays: -1, auditDays: 200, gone: 1 }, quotas: 'all', security: [] }),
    ])
    expect(await tenants.settings(own.id)).toEqual({
      ...DEFAULT_SETTINGS,
      retention: { ...DEFAULT_SETTINGS.retention, auditDays: 200 },
    })
  })

  it('do not let a company change its own state or term', async () => {
    const own = await company(m.db)
    for (const sql of [
      "update tenants set status = 'active'",
      "update tenants set expires_at = now() + interval '9 years'",
      'update tenants set grace_days = 90',
    ])
      await expect(m.database.withTenant(own.ctx, scope => raw(scope, sql))).rejects.toThrow('permission denied')
  })
})
