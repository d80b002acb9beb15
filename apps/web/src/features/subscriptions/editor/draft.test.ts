import type { SubscriptionView } from '@thingwright/contracts/subscriptions.contract'
import { describe, expect, it } from 'vitest'
import { changeBody, FRESH, filterOf, newBody, readValue, ruleProblem, valuesOf, writeValue } from './draft.ts'

const view = {
  id: 'i',
  name: 'ERP',
  version: 3,
  kinds: ['property', 'event'],
  filter: {
    productIds: ['p1'],
    condition: {
      match: 'any',
      rules: [
        { identifier: 'temperature', op: 'gt', value: 30 },
        { identifier: 'code', op: 'eq', value: '30' },
      ],
    },
    everySeconds: 60,
  },
  target: { kind: 'webhook', url: 'https://erp.example/in', headers: ['X-Tenant'] },
  payload: { format: 'envelope' },
  batching: { maxItems: 50, waitMs: 200 },
} as unknown as SubscriptionView

describe('draft of a subscription', () => {
  it('sends what was chosen and leaves out what does not narrow', () => {
    expect(newBody({ ...FRESH, name: ' ERP ', 'target.url': 'https://erp.example/in', 'filter.tags': [] })).toEqual({
      name: 'ERP',
      kinds: ['property'],
      filter: {},
      target: { kind: 'webhook', url: 'https://erp.example/in' },
      payload: { format: 'envelope' },
      batching: { maxItems: 100, waitMs: 0 },
    })
  })

  it('takes what belongs to another kind of message or target out', () => {
    const values = {
      ...FRESH,
      ...valuesOf(view),
      kinds: ['state'],
      'filter.identifiers': ['t'],
      'filter.events': ['e'],
    }
    expect(filterOf(values)).toEqual({ productIds: ['p1'] })
    expect(newBody({ ...values, 'target.kind': 'pull', 'target.url': 'https://erp.example/in' }).target).toEqual({
      kind: 'pull',
    })
  })

  it('comes back from a stored subscription as it was, and sends no target that nobody touched', () => {
    expect(filterOf(valuesOf(view))).toEqual(view.filter)
    expect(changeBody(valuesOf(view), view)).toEqual({
      version: 3,
      name: 'ERP',
      kinds: view.kinds,
      filter: view.filter,
      payload: { format: 'envelope' },
      batching: { maxItems: 50, waitMs: 200 },
    })
    const moved = {
      ...valuesOf(view),
      'target.url': 'https://new.example/in',
      'target.headers': [{ name: 'X-Tenant', value: '7' }],
    }
    expect(changeBody(moved, view).target).toEqual({
      kind: 'webhook',
      url: 'https://new.example/in',
      headers: { 'X-Tenant': '7' },
    })
  })

  it('tells numbers, yes and no from texts', () => {
    expect(readValue('30')).toBe(30)
    expect(readValue('-1.5e3')).toBe(-1500)
    expect(readValue('true')).toBe(true)
    expect(readValue('"30"')).toBe('30')
    expect(readValue(' over heat ')).toBe('over heat')
    for (const value of [30, true, '30', 'true', 'a', '', ' a ', '"a"'])
      expect(readValue(writeValue(value)), JSON.stringify(value)).toBe(value)
  })

  it('compares by size with numbers alone', () => {
    const rule = { identifier: 't', op: 'gt', value: '30' } as const
    expect(ruleProblem([rule, { identifier: 'fault', op: 'exists', value: '' }])).toBeNull()
    expect(ruleProblem([{ ...rule, value: ' ' }])).toBe('ruleIncomplete')
    expect(ruleProblem([{ ...rule, value: 'hot' }])).toBe('ruleNumber')
    expect(ruleProblem([{ ...rule, identifier: ' ', value: 'hot' }])).toBeNull()
  })

  it('asks nothing of a rule that only wants the value to be there', () => {
    const condition = {
      match: 'all',
      rules: [
        { identifier: 'fault', op: 'exists', value: '9' },
        { identifier: ' ', op: 'eq', value: '' },
      ],
    }
    expect(filterOf({ kinds: ['property'], 'filter.condition': condition }).condition).toEqual({
      match: 'all',
      rules: [{ identifier: 'fault', op: 'exists' }],
    })
  })
})
