import { describe, expect, it } from 'vitest'
import { type Actor, actorId, actorName, dataScopeOf, ownerIdOf, systemContext, WHOLE_COMPANY } from './context.ts'

const NARROW = { kind: 'limited', groupIds: ['g'], productIds: [], own: true } as const
const person = { loginId: 'login', username: 'li', displayName: 'Li', permissions: new Set<never>() }
const member: Actor = { kind: 'member', ...person, dataScope: NARROW }
const operator: Actor = { kind: 'operator', ...person }
const { loginId: ownerId, ...rest } = person
const apiKey: Actor = { kind: 'apiKey', keyId: 'key', ownerId, ...rest, dataScope: NARROW }
const system: Actor = { kind: 'system', reason: 'sweep' }

describe('who acts', () => {
  it('sees what his roles leave, a program likewise, operators and the system the whole company', () => {
    expect([member, apiKey, operator, system].map(dataScopeOf)).toEqual([NARROW, NARROW, WHOLE_COMPANY, WHOLE_COMPANY])
  })

  it('is named, and what he makes belongs to a person', () => {
    expect([member, apiKey, operator, system].map(actorId)).toEqual(['login', 'key', 'login', null])
    expect([member, apiKey, operator, system].map(ownerIdOf)).toEqual(['login', 'login', 'login', null])
    expect([member, system].map(actorName)).toEqual(['li', 'system:sweep'])
  })

  it('is the system where no person asked', () => {
    expect(systemContext('tenant', 'sweep', 5)).toEqual({
      tenantId: 'tenant',
      actor: system,
      locale: 'zh',
      requestId: 'system-sweep',
      now: 5,
    })
  })
})
