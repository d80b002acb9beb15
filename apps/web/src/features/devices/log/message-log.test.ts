import type { CommandView } from '@thingwright/contracts/commands.contract'
import { describe, expect, it } from 'vitest'
import {
  frameOfMessage,
  MAX_LIVE,
  type Message,
  mergeMessages,
  messageOf,
  messageOfCommand,
  messageWords,
  pushLive,
} from './message-log.ts'

const ALL = { kind: null, quality: null, q: '' }
const message = (id: string, more: Partial<Message> = {}): Message => ({
  id,
  kind: 'property',
  direction: 'up',
  arrivedAt: '2026-01-01T00:00:00.000Z',
  ts: 1,
  deviceTs: null,
  quality: 'good',
  late: false,
  simulated: false,
  values: null,
  refusedReason: null,
  hex: null,
  text: null,
  ...more,
})

describe('the message log', () => {
  it('shows each message once, the fetched one because it knows the bytes', () => {
    const fetched = message('a', { hex: '7b7d' })
    const merged = mergeMessages([message('b'), message('a')], [fetched], ALL)
    expect(merged.map(each => each.id)).toEqual(['b', 'a'])
    expect(merged[1]).toBe(fetched)
  })

  it('lets only what was asked for through from the live side, and nothing while somebody searches', () => {
    const live = [
      message('a', { kind: 'refused' }),
      message('b', { quality: 'uncertain' }),
      message('c', { kind: 'command' }),
    ]
    const ids = (filters: Partial<typeof ALL> | object) =>
      mergeMessages(live, [], { ...ALL, ...filters }).map(each => each.id)
    expect(ids({ kind: 'refused' })).toEqual(['a'])
    expect(ids({ quality: 'uncertain' })).toEqual(['b'])
    expect(ids({ quality: 'good' })).toEqual(['a'])
    expect(ids({ q: 'x' })).toEqual([])
  })

  it('stays bounded however much a device says', () => {
    let live: Message[] = []
    for (let n = 0; n < MAX_LIVE + 20; n++) live = pushLive(live, message(String(n)))
    expect(live).toHaveLength(MAX_LIVE)
    expect(live[0]!.id).toBe(String(MAX_LIVE + 19))
  })

  it('marks what comes in a simulated session, and only that', () => {
    const session = (id: string, kind: 'online' | 'offline', transport: string) =>
      message(id, { kind, direction: 'none', values: { transport } })
    let live: Message[] = []
    for (const next of [
      message('1'),
      session('2', 'online', 'simulator'),
      message('3'),
      session('4', 'offline', 'simulator'),
      session('5', 'online', 'mqtt'),
      message('6'),
    ])
      live = pushLive(live, next)
    expect(live.filter(each => each.simulated).map(each => each.id)).toEqual(['4', '3', '2'])
  })

  it('takes only what is a message out of a patch', () => {
    expect(messageOf('1', { kind: 'property', ts: 5, values: { a: 1 } })).toMatchObject({
      id: '1',
      ts: 5,
      quality: 'good',
      direction: 'up',
    })
    expect(messageOf('1', { kind: 'other', ts: 5 })).toBeNull()
    expect(messageOf('1', { kind: 'property' })).toBeNull()
  })

  it('has a command once it has left, in one place while its state changes', () => {
    const command = {
      id: 'x',
      kind: 'service',
      identifier: 'restart',
      params: {},
      state: 'queued',
      reply: null,
      sentAt: null,
    }
    expect(messageOfCommand(command as unknown as CommandView)).toBeNull()
    const sent = (state: string) =>
      messageOfCommand({ ...command, state, sentAt: '2026-01-01T00:00:00.000Z' } as unknown as CommandView)!
    const live = pushLive(pushLive(pushLive([], sent('sent')), message('1')), sent('succeeded'))
    expect(live.map(each => each.id)).toEqual(['1', 'c-x'])
    expect(live[1]!.values).toMatchObject({ state: 'succeeded' })
  })

  it('says in one line what a message was', () => {
    expect(messageWords(message('a', { text: '{\n "a": 1\n}' }))).toBe('{ "a": 1 }')
    expect(messageWords(message('a', { values: { a: 1 } }))).toBe('{"a":1}')
    expect(messageWords(message('a', { hex: 'ff' }))).toBe('ff')
  })

  it('finds the frame of a message by way and time', () => {
    const frame = (at: string, direction: 'up' | 'down') => ({ at, direction })
    const near = frame('2026-01-01T00:00:00.020Z', 'up')
    const frames = [frame('2026-01-01T00:00:00.000Z', 'down'), frame('2026-01-01T00:00:00.200Z', 'up'), near]
    expect(frameOfMessage(message('a'), frames)).toBe(near)
    expect(frameOfMessage(message('a', { arrivedAt: '2026-01-01T00:01:00.000Z' }), frames)).toBeNull()
  })
})
