import { expect, it } from 'vitest'
import { bodyOf, freshCommand, freshDraft, turnedRound } from './draft.ts'

const set = (params: Record<string, unknown>) => ({
  ...freshCommand('d1'),
  command: { kind: 'property_set' as const, params },
})

it('the end of a pair is its beginning with every truth value turned round, where there are only such', () => {
  expect(turnedRound([set({ pump: true, valve: false })])).toEqual([set({ pump: false, valve: true })])
  expect(turnedRound([set({ speed: 3 })])).toBeNull()
  expect(turnedRound([set({})])).toBeNull()
  expect(turnedRound([set({ pump: true }), { kind: 'delay', seconds: 5 }])).toBeNull()
})

it('what a pair did at its end is not sent with another kind', () => {
  const draft = { ...freshDraft('d1', new Date(0)), name: ' Night ', offActions: [set({ pump: false })] }
  expect(bodyOf(draft, true)).toMatchObject({ name: 'Night', enabled: true, offActions: [] })
  const pair = { ...draft, schedule: { kind: 'pair' as const, on: '08:00', off: '18:00' } }
  expect(bodyOf(pair, false)).toMatchObject({ enabled: false, offActions: [set({ pump: false })] })
})
