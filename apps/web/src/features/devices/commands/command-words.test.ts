import type { CommandView } from '@thingwright/contracts/commands.contract'
import { expect, it } from 'vitest'
import { isFinal, newer, reasonOf, repeatOf, stepsOf } from './command-words.ts'

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
  confirm: 'auto',
  retries: 0,
  frames: null,
  readBack: null,
  template: null,
  batchId: null,
  lora: null,
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

it('says in words why a command failed: the platform by its own words, the device by its message and code', () => {
  const t = (key: string) => `<${key}>`
  expect(reasonOf(command('timed_out', { errorCode: 'no_reply' }), t)).toBe('<commandReason.no_reply>')
  expect(reasonOf(command('rejected', { errorCode: '5', errorMessage: 'too hot' }), t)).toBe('too hot (5)')
  expect(reasonOf(command('rejected', { errorCode: '5' }), t)).toBe('5')
  expect(reasonOf(command('failed'), t)).toBe('')
})

it('is sent again as what it was: a template by its parameters, bytes as bytes', () => {
  const template = { id: 't', name: 'T', params: { a: 1 } }
  expect(repeatOf(command('failed', { kind: 'raw', params: { hex: '0102' }, template }))).toEqual({
    kind: 'template',
    templateId: 't',
    params: { a: 1 },
  })
  expect(repeatOf(command('failed', { kind: 'raw', params: { hex: '0102' }, confirm: 'none' }))).toEqual({
    kind: 'raw',
    payload: { hex: '0102' },
    timeoutMs: 1000,
    confirm: 'none',
  })
  // Port and acknowledgement are chosen again; how long it waits is not.
  const lora = { port: 10, confirmed: false, expiresAt: '2026-01-01T00:00:00.000Z' }
  expect(repeatOf(command('expired', { kind: 'raw', params: { hex: '01' }, confirm: 'none', lora }))).toEqual({
    kind: 'raw',
    payload: { hex: '01' },
    timeoutMs: 1000,
    confirm: 'none',
    lora: { port: 10, confirmed: false },
  })
  // What was waited for longer than may be asked for is asked for as long as may be.
  expect(repeatOf(command('expired', { kind: 'raw', params: { hex: '01' }, timeoutMs: 2 ** 31 - 1 }))).toMatchObject({
    timeoutMs: 86_400_000,
  })
  expect(repeatOf(command('failed', { kind: 'service', identifier: 's', params: { b: 2 } }))).toEqual({
    kind: 'service',
    identifier: 's',
    params: { b: 2 },
    timeoutMs: 1000,
  })
})
