// @vitest-environment happy-dom
import { act, useCallback } from 'react'
import { createRoot } from 'react-dom/client'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { fieldOf, PastBar } from './past-bar.tsx'
import { type Past, type PastValues, usePast } from './use-past.ts'

vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
const NOW = 1_750_000_000_000
beforeEach(() => void vi.useFakeTimers({ now: NOW, toFake: ['setTimeout', 'clearTimeout', 'Date'] }))
afterEach(() => {
  vi.useRealTimers()
  document.body.replaceChildren()
})

const asked: number[] = []
let answer: (ts: number) => Promise<PastValues>
let past: Past

function Shown() {
  past = usePast(
    useCallback((ts: number) => {
      asked.push(ts)
      return answer(ts)
    }, []),
  )
  return <PastBar past={past} language="en" onClose={() => undefined} />
}

const at = (ts: number): PastValues => ({ ts, values: { 'pump.hz': { v: ts, ts, q: 'good' } }, alarms: [] })

async function opened(): Promise<HTMLElement> {
  asked.length = 0
  answer = async ts => at(ts)
  const root = document.body.appendChild(document.createElement('div'))
  await act(async () => createRoot(root).render(<Shown />))
  return root
}
const button = (root: HTMLElement, name: string) =>
  [...root.querySelectorAll('button')].find(each => (each.getAttribute('aria-label') ?? each.textContent) === name)!
const pressed = (root: HTMLElement, name: string) => act(async () => button(root, name).click())
const passed = (ms: number) => act(async () => void (await vi.advanceTimersByTimeAsync(ms)))

it('is live at first, shows a moment that is chosen, and goes back', async () => {
  const root = await opened()
  expect(past.at).toBeNull()
  expect(button(root, 'Back to live').disabled).toBe(true)
  await act(async () => past.go(NOW - 60_000))
  expect(asked).toEqual([NOW - 60_000])
  expect(past.store.look('pump.hz')!.v).toBe(NOW - 60_000)
  expect(root.querySelector<HTMLInputElement>('input[type="range"]')!.value).toBe(String(NOW - 60_000))
  expect(root.querySelector<HTMLInputElement>('input[type="datetime-local"]')!.value).toBe(fieldOf(NOW - 60_000))
  await pressed(root, 'Back to live')
  expect(past.at).toBeNull()
})

it('plays from the beginning of its range with its speed, pauses, and is live where the past ends', async () => {
  const root = await opened()
  await pressed(root, 'Play')
  const begin = NOW - 24 * 3_600_000
  expect(past.at).toBe(begin)
  await passed(500)
  // One second of history for each sixtieth of a second.
  expect(past.at).toBe(begin + 30_000)
  await pressed(root, 'Pause')
  await passed(5_000)
  expect(past.at).toBe(begin + 30_000)
  await act(async () => {
    past.setSpeed(3_600)
    past.go(NOW - 60_000)
    past.play()
  })
  await passed(500)
  expect(past.at).toBeNull()
  expect(past.playing).toBe(false)
})

it('reads one moment after the other, and of those that were passed over only the last', async () => {
  await opened()
  let done = (_: PastValues) => {}
  answer = () => new Promise(resolve => (done = resolve))
  await act(async () => past.go(1))
  await act(async () => past.go(2))
  await act(async () => past.go(3))
  expect(asked).toEqual([1])
  answer = async ts => at(ts)
  await act(async () => done(at(1)))
  expect(asked).toEqual([1, 3])
  expect(past.store.look('pump.hz')!.v).toBe(3)
})

it('says why a moment cannot be read, and stops playing', async () => {
  const root = await opened()
  answer = () => Promise.reject(new Error('The ticket has ended'))
  await pressed(root, 'Play')
  expect(root.querySelector('[role="status"]')!.textContent).toBe('The ticket has ended')
  expect(past.playing).toBe(false)
})
