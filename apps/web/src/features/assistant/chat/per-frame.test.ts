import { beforeEach, expect, it, vi } from 'vitest'
import { perFrame } from './per-frame.ts'

let frames: (() => void)[] = []
const page = { hidden: false }
beforeEach(() => {
  frames = []
  page.hidden = false
  vi.useFakeTimers()
  vi.stubGlobal('document', page)
  vi.stubGlobal('requestAnimationFrame', (work: () => void) => frames.push(work))
  vi.stubGlobal('cancelAnimationFrame', (n: number) => {
    frames[n - 1] = () => {}
  })
})

it('works once at the next frame, however often it was called', () => {
  const work = vi.fn()
  const schedule = perFrame(work)
  for (let i = 0; i < 100; i++) schedule()
  expect(work).not.toHaveBeenCalled()
  expect(frames).toHaveLength(1)
  frames[0]!()
  expect(work).toHaveBeenCalledTimes(1)
  vi.advanceTimersByTime(1000)
  expect(work).toHaveBeenCalledTimes(1)
  schedule()
  expect(frames).toHaveLength(2)
})

it('goes on in a tab that is hidden, and at once when that is asked for', () => {
  const work = vi.fn()
  const schedule = perFrame(work)
  schedule()
  page.hidden = true
  vi.advanceTimersByTime(250)
  expect(work).toHaveBeenCalledTimes(1)
  schedule()
  schedule.now()
  expect(work).toHaveBeenCalledTimes(2)
  vi.advanceTimersByTime(1000)
  expect(work).toHaveBeenCalledTimes(2)
})
