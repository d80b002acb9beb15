import { beforeAll, describe, expect, it } from 'vitest'
import { type Company, company, type Management, management, refusal } from '../../db/testing/management.ts'
import { newId } from '../../lib/ids.ts'
import { raw } from '../../lib/testing/raw.ts'
import { createConsentsModule } from './index.ts'

let m: Management
let mine: Company
let theirs: Company
beforeAll(async () => {
  m = await management()
  mine = await company(m.db)
  theirs = await company(m.db)
  // The consents name a login: it must be there.
  for (const of of [mine, theirs])
    await m.db.superuser.query(
      "insert into logins (id, tenant_id, kind, username, display_name) values ($1, $2, 'member', $3, 'x')",
      [(of.ctx.actor as { loginId: string }).loginId, of.id, `consents-${newId().slice(-12)}`],
    )
})

const at = (documents: Record<string, string>) => createConsentsModule({ database: m.database, documents }).service

describe('agreements', () => {
  it('are due once when there is a newer version than the one agreed to', async () => {
    const first = at({ terms: '2026-01-01', privacy: '2026-01-01' })
    // Who was never asked is not asked now.
    expect(await first.mine(mine.ctx)).toEqual({ items: [], due: [] })
    await first.give(mine.ctx, { document: 'terms', version: '2026-01-01' })
    expect((await first.mine(mine.ctx)).due).toEqual([])
    const second = at({ terms: '2026-10-01', privacy: '2026-01-01' })
    expect((await second.mine(mine.ctx)).due).toEqual([
      { document: 'terms', version: '2026-10-01', agreedVersion: '2026-01-01' },
    ])
    await second.give(mine.ctx, { document: 'terms', version: '2026-10-01' })
    const { items, due } = await second.mine(mine.ctx)
    expect(due).toEqual([])
    expect(items.map(({ document, version, ip }) => [document, version, ip])).toEqual([
      ['terms', '2026-10-01', '192.0.2.7'],
      ['terms', '2026-01-01', '192.0.2.7'],
    ])
    // An older server beside it asks for nothing.
    expect((await first.mine(mine.ctx)).due).toEqual([])
  })

  it('are given to the version in force only', async () => {
    const service = at({ terms: '2026-10-01' })
    for (const input of [
      { document: 'terms', version: '2026-01-01' },
      { document: 'terms', version: '2027-01-01' },
      { document: 'other', version: '2026-10-01' },
      { document: 'constructor', version: 'x' },
    ])
      expect((await refusal(service.give(mine.ctx, input))).code).toBe('consent.version_unknown')
  })

  it('of another company and of another person are not seen, and stay as they were written', async () => {
    const service = at({ terms: '2026-10-01' })
    await service.give(theirs.ctx, { document: 'terms', version: '2026-10-01' })
    expect((await service.mine(theirs.ctx)).items).toHaveLength(1)
    expect((await service.mine(mine.ctx)).items).toHaveLength(2)
    for (const statement of ["update consents set version = 'x'", 'delete from consents'])
      await expect(m.database.withTenant(mine.ctx, scope => raw(scope, statement))).rejects.toThrow('denied')
  })
})
