import { EventEmitter } from 'node:events'
import { afterEach, describe, expect, it } from 'vitest'
import { backgroundFailures, inBackground, reportBackgroundTo, surviveRejections } from './background.ts'

describe('work in the background', () => {
  let before = () => {}
  afterEach(() => before())

  function listening(): { err: Error; work: string }[] {
    const lines: { err: Error; work: string }[] = []
    before = reportBackgroundTo({ error: ((line: never) => lines.push(line)) as never })
    return lines
  }

  it('that fails is logged under its name and counted, and ends nothing', async () => {
    const lines = listening()
    const already = backgroundFailures().background_failures
    const gone = new Error('no database')
    inBackground('maintenance', Promise.reject(gone))
    inBackground('a sweep', Promise.resolve())
    await expect.poll(() => lines).toEqual([{ err: gone, work: 'maintenance' }])
    expect(backgroundFailures().background_failures).toBe(already + 1)
  })

  it('goes to the log of before when a part of the process ends', async () => {
    const outer = listening()
    const inner: unknown[] = []
    reportBackgroundTo({ error: ((line: never) => inner.push(line)) as never })()
    inBackground('a sweep', Promise.reject(new Error('late')))
    await expect.poll(() => outer.length).toBe(1)
    expect(inner).toEqual([])
  })

  it('a rejection that nobody took is logged and counted', () => {
    const lines = listening()
    const process = new EventEmitter()
    surviveRejections(process as never)
    const already = backgroundFailures().unhandled_rejections
    const lost = new Error('lost')
    process.emit('unhandledRejection', lost, Promise.resolve())
    expect(lines).toEqual([{ err: lost, work: 'a promise that nobody waited for' }])
    expect(backgroundFailures().unhandled_rejections).toBe(already + 1)
  })
})
