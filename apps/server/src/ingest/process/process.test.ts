import { EventEmitter } from 'node:events'
import { expect, it, vi } from 'vitest'
import type { FromGateway, GatewayStart, ToGateway } from '../channel/ipc.ts'
import { type RunningGateway, runGatewayProcess } from './process.ts'

/** The gateway's end of a channel whose other end is the test. */
function parent() {
  const channel = new EventEmitter()
  const said: FromGateway[] = []
  Object.assign(channel, { connected: true, send: (message: FromGateway) => said.push(message), exit: () => undefined })
  return { channel: channel as NodeJS.Process, said, tell: (message: ToGateway) => channel.emit('message', message) }
}

it('what is told while the gateway starts is taken as soon as it runs, in its order', async () => {
  const { channel, said, tell } = parent()
  const heard: string[] = []
  let runs = (_gateway: RunningGateway) => {}
  const started = new Promise<RunningGateway>(resolve => {
    runs = resolve
  })
  runGatewayProcess(() => started, channel)
  tell({ type: 'start', options: {} as GatewayStart })
  tell({ type: 'forget', device: 7 })
  tell({ type: 'kick', device: 7 })
  tell({ type: 'wake', devices: [8] })
  expect(heard).toEqual([])
  runs({
    ports: {},
    forget: ({ device }: { device?: number }) => void heard.push(`forget ${device}`),
    kick: (device: number) => void heard.push(`kick ${device}`),
    wake: (devices: readonly number[]) => void heard.push(`wake ${devices}`),
  } as unknown as RunningGateway)
  await vi.waitUntil(() => said.length > 0, { timeout: 30_000 })
  tell({ type: 'wake', devices: [9] })
  expect(said).toEqual([{ type: 'ready', ports: {} }])
  expect(heard).toEqual(['forget 7', 'kick 7', 'wake 8', 'wake 9'])
})

it('serves on while its parent hangs, says so once, and when the parent is back', async () => {
  const { channel, said, tell } = parent()
  const words: string[] = []
  const running = { ports: {}, metrics: () => ({ gateway_sign_ins: 1 }) } as unknown as RunningGateway
  runGatewayProcess(async () => running, channel, { beatMs: 5, say: text => words.push(text) })
  tell({ type: 'start', options: {} as GatewayStart })
  tell({ type: 'beat' })
  expect(said).toContainEqual({ type: 'beat' })
  await vi.waitUntil(() => words.length === 1, { timeout: 30_000 })
  expect(words[0]).toMatch(/main process does not answer/)
  tell({ type: 'ask', id: 1, question: { metrics: true } })
  expect(said).toContainEqual({
    type: 'answer',
    id: 1,
    metrics: { gateway_sign_ins: 1, gateway_parent_silences: 1 },
  })
  tell({ type: 'beat' })
  expect(words[1]).toMatch(/answers again/)
})
