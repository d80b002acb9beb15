import type { CommandRules } from '@thingwright/contracts/command-schemas'
import { expect, it } from 'vitest'
import { rulesOf, rulesValues } from './rules-form.ts'

it('rules come out of their form as they went in, with what it does not show', () => {
  const rules: CommandRules = {
    expirySeconds: 600,
    collapse: false,
    confirm: 'reply',
    timeoutMs: 5000,
    retries: 1,
    properties: {
      valve: {
        confirm: 'read_back',
        tolerance: 0.5,
        danger: { level: 'pin', text: 'Open?', roleIds: ['r'] },
        interlock: [
          { identifier: 'pressure', operator: 'lt', value: 2, maxAgeSeconds: 60 },
          { identifier: 'mode', operator: 'eq', value: 'manual' },
        ],
      },
    },
    services: { move: { confirm: 'read_back', readBack: { property: 'position', param: 'to' } } },
    raw: { danger: { level: 'proof' } },
  }
  expect(rulesOf(rulesValues(rules), rules)).toEqual(rules)
})

it('nothing said is what the server takes for granted, and the time for an answer is left to the kind of link', () => {
  expect(rulesOf(rulesValues({}), {})).toEqual({
    expirySeconds: 86_400,
    collapse: true,
    confirm: 'auto',
    retries: 0,
  })
})
