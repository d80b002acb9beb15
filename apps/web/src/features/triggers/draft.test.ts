import type { TriggerView } from '@thingwright/contracts/triggers.contract'
import { describe, expect, it } from 'vitest'
import { scalarOf, turned } from './conditions.ts'
import { bodyOf, draftOf, FRESH, missingOf, ruleOf } from './draft.ts'

const cold = {
  ...FRESH,
  name: ' Cold room ',
  property: 'temperature',
  high: -15,
  scope: { ...FRESH.scope, devices: ['d1'] },
}

describe('a draft of a trigger', () => {
  it('sends only what its kind asks for, whatever was typed before the kind was changed', () => {
    expect(ruleOf({ ...cold, low: 3, minutes: 7, value: '5' })).toEqual({
      kind: 'above',
      scope: { deviceIds: ['d1'] },
      property: 'temperature',
      high: -15,
      alarm: { level: 3 },
      actions: [{ kind: 'notify' }],
    })
    expect(ruleOf({ ...cold, kind: 'offline_for', minutes: 10 })).not.toHaveProperty('property')
    expect(ruleOf({ ...cold, kind: 'equal', value: '0' })).toMatchObject({ value: 0 })
    expect(ruleOf({ ...cold, kind: 'above_for', high: 0, minutes: 1 })).toMatchObject({ high: 0, minutes: 1 })
  })

  it('names what is missing; zero is a limit like any other', () => {
    expect(missingOf(FRESH)).toEqual(['name', 'scope', 'property', 'high'])
    expect(missingOf({ ...cold, high: 0 })).toEqual([])
    expect(missingOf({ ...cold, kind: 'outside_for', low: null, minutes: null })).toEqual(['low', 'minutes'])
    expect(missingOf({ ...cold, kind: 'general' })).toEqual([])
  })

  it('comes back from the server as it was sent', () => {
    const drafts = [
      cold,
      { ...cold, kind: 'general' as const, clear: 'condition' as const },
      { ...cold, kind: 'between' as const, low: -1, high: 1, deadBand: 0.5, raises: false, actions: [] },
      {
        ...cold,
        scopeKind: 'tags' as const,
        scope: { ...FRESH.scope, tags: ['冷库'] },
        per: 'scope' as const,
        renew: true,
        hours: { zone: 'Asia/Shanghai', periods: [{ from: '22:00', to: '06:00', days: [1, 2] }] },
        antiShake: { times: 3, seconds: 60 },
        quietSeconds: 600,
      },
    ]
    for (const draft of drafts) {
      const sent = bodyOf(draft, true)
      const view = { description: '', expiresAt: null, ...sent } as unknown as TriggerView
      expect(bodyOf(draftOf(view), true)).toEqual(sent)
    }
  })
})

describe('values that are typed', () => {
  it('are numbers and truth values where they are exactly that', () => {
    expect(['1', '-0.5', '1.50', 'true', 'on', '', '0x10', '1e3'].map(text => scalarOf(text))).toEqual([
      1,
      -0.5,
      1.5,
      true,
      'on',
      '',
      '0x10',
      '1e3',
    ])
  })

  it('keep digits that a number cannot hold', () => {
    expect(scalarOf('9007199254740993')).toBe('9007199254740993')
    expect(scalarOf('89860319457500012345')).toBe('89860319457500012345')
    expect(scalarOf('007')).toBe('007')
    expect(scalarOf('100')).toBe(100)
    expect(scalarOf('5', true)).toBe('5')
  })
})

describe('a condition that becomes one of another kind', () => {
  it('keeps its property and what it holds', () => {
    const hot = { type: 'compare', property: 't', op: 'gt', value: 5 } as const
    expect(turned(hot, 'held')).toEqual({ type: 'held', of: hot, seconds: 300 })
    expect(turned(turned(hot, 'held'), 'all')).toEqual({ type: 'all', of: [hot] })
    expect(turned(hot, 'rate')).toMatchObject({ type: 'rate', property: 't' })
    expect(turned(hot, 'offline')).toEqual({ type: 'offline' })
  })
})
