import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { ModuleParts } from '../lib/module.ts'
import { gaugesOf, startRuns, startSweeps } from './run-modules.ts'
import { createStop } from './stop.ts'

const stopOf = () =>
  createStop((_name, error) => {
    throw error
  })

let said: string[]
beforeEach(() => {
  said = []
  vi.useFakeTimers()
})
afterEach(() => vi.useRealTimers())

const runner = (name: string, phase: 'journal' | 'work'): ModuleParts => ({
  runs: [{ name, phase, start: () => void said.push(`start ${name}`), stop: () => void said.push(`stop ${name}`) }],
})

it('starts what belongs to the phase in the order of the modules, and ends it in the opposite one', async () => {
  const modules = [runner('a', 'work'), runner('b', 'journal'), {}, runner('c', 'work')]
  const stop = stopOf()
  await startRuns(modules, 'journal', stop)
  expect(said).toEqual(['start b'])
  await startRuns(modules, 'work', stop)
  await stop.run()
  expect(said).toEqual(['start b', 'start a', 'start c', 'stop c', 'stop a', 'stop b'])
})

it('ends also what has nothing to start', async () => {
  const stop = stopOf()
  await startRuns([{ runs: [{ name: 'a', phase: 'streams', stop: () => void said.push('stop a') }] }], 'streams', stop)
  await stop.run()
  expect(said).toEqual(['stop a'])
})

it('clears away at once and every hour until it is stopped, or once', async () => {
  const sweep = (name: string) => ({ name, run: async () => void said.push(name) })
  const stop = stopOf()
  startSweeps([{ sweeps: [sweep('hourly')] }, { sweeps: [{ ...sweep('once'), once: true }] }], stop)
  expect(said).toEqual(['hourly', 'once'])
  vi.advanceTimersByTime(2 * 60 * 60_000)
  expect(said).toEqual(['hourly', 'once', 'hourly', 'hourly'])
  await stop.run()
  vi.advanceTimersByTime(2 * 60 * 60_000)
  expect(said).toHaveLength(4)
})

it('puts the numbers of all modules together', async () => {
  expect(await gaugesOf([{ gauges: async () => ({ a: 1 }) }, {}, { gauges: async () => ({ b: 2 }) }])).toEqual({
    a: 1,
    b: 2,
  })
})
