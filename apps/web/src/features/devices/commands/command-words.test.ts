import type { CommandView } from '@thingwright/contracts/commands.contract'
import { expect, it } from 'vitest'
import { isFinal, newer, stepsOf } from './command-words.ts'

const command = (state: CommandView['state'], more: Partial<CommandView> = {}): CommandView => ({
  id: 'c',
  deviceId: 'd',
  kind: 'property_set',
  identifier: null,
  params: {},
  state,
  source: 'user',
  operatorName: '',
  timeoutMs: 1000,
  attempt: 1,
  expiresAt: '',
  createdAt: '2026-01-01T00:00:00.000Z',
  sentAt: null,
  deliveredAt: null,
  finishedAt: null,
  reply: null,
  errorCode: null,
  errorMessage: null,
  ...more,
})

it('a late message never takes a command back', () => {
  const done = command('succeeded')
  expect(newer(done, command('delivered'))).toBe(done)
  expect(newer(done, command('queued', { attempt: 2 }))).toBe(done)
  const delivered = command('delivered')
  expect(newer(delivered, command('sent'))).toBe(delivered)
  expect(newer(command('delivered'), command('queued', { attempt: 2 })).state).toBe('queued')
  expect(newer(undefined, delivered)).toBe(delivered)
})

it('shows the way of a command; what a finished one never reached is left out', () => {
  expect(stepsOf(command('sent', { sentAt: 'x' })).map(step => step.key)).toEqual([
    'created',
    'sent',
    'delivered',
    'finished',
  ])
  expect(stepsOf(command('expired', { finishedAt: 'x' })).map(step => step.key)).toEqual(['created', 'finished'])
  expect(isFinal('timed_out')).toBe(true)
  expect(isFinal('delivered')).toBe(false)
})
