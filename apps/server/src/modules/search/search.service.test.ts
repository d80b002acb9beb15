import type { Permission } from '@thingwright/contracts/permissions'
import type { SearchKind } from '@thingwright/contracts/search.contract'
import { describe, expect, it } from 'vitest'
import { type Ctx, WHOLE_COMPANY } from '../../lib/context.ts'
import type { SearchSource } from '../../lib/found.ts'
import { createSearchService } from './search.service.ts'

const asked: string[] = []
const source = (kind: SearchKind, permission: Permission, found: number): SearchSource => ({
  kind,
  permission,
  async find(_ctx, q, limit) {
    asked.push(`${kind} ${q}`)
    return Array.from({ length: Math.min(found, limit) }, (_, at) => ({
      id: `${at}`,
      title: `${kind} ${at}`,
      subtitle: '',
      link: `/x/${at}`,
    }))
  },
})

const ctx = (...permissions: Permission[]): Ctx => ({
  tenantId: 't',
  actor: {
    kind: 'member',
    loginId: 'l',
    username: 'u',
    displayName: '',
    permissions: new Set(permissions),
    dataScope: WHOLE_COMPANY,
  },
  locale: 'zh',
  requestId: 'r',
  now: 0,
})

describe('the global search', () => {
  const search = createSearchService(() => [
    source('device', 'device:read', 50),
    source('product', 'product:read', 1),
    source('role', 'role:read', 0),
  ])

  it('asks only where the caller may look, and says when there are more', async () => {
    asked.length = 0
    const { groups } = await search.find(ctx('device:read', 'role:read'), { q: 'x' })
    expect(asked).toEqual(['device x', 'role x'])
    expect(groups.map(g => [g.kind, g.items.length, g.more])).toEqual([['device', 6, true]])
  })

  it('keeps the order of its sources', async () => {
    const { groups } = await search.find(ctx('product:read', 'device:read'), { q: '温' })
    expect(groups.map(g => g.kind)).toEqual(['device', 'product'])
    expect(groups[1]!.more).toBe(false)
  })

  it('asks nobody for nothing: empty, blanks, invisible signs', async () => {
    asked.length = 0
    for (const q of ['', '   ', '\u3000', '\u0001'])
      expect(await search.find(ctx('device:read'), { q })).toEqual({ groups: [] })
    expect(asked).toEqual([])
  })
})
