import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { scheduleServiceWorker } from './service-worker.ts'

/** A browser as far as the service worker is concerned. */
function browser({ loaded = true, workers = true } = {}) {
  const idle: (() => void)[] = []
  const onLoad: (() => void)[] = []
  const register = vi.fn(async () => undefined)
  vi.stubGlobal('navigator', workers ? { serviceWorker: { register } } : {})
  vi.stubGlobal('document', { readyState: loaded ? 'complete' : 'loading' })
  vi.stubGlobal('window', {
    requestIdleCallback: (work: () => void) => idle.push(work),
    addEventListener: (_: string, work: () => void) => onLoad.push(work),
  })
  const run = (work: (() => void)[]) => {
    for (const each of work.splice(0)) each()
  }
  return { register, rest: () => run(idle), load: () => run(onLoad) }
}

describe('the service worker', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
  })

  it('is registered when the page is loaded and at rest, once', () => {
    const { register, load, rest } = browser({ loaded: false })
    scheduleServiceWorker(true)
    rest()
    expect(register).not.toHaveBeenCalled()
    load()
    expect(register).not.toHaveBeenCalled()
    rest()
    expect(register.mock.calls).toEqual([['/sw.js', { scope: '/' }]])
    vi.advanceTimersByTime(60_000)
    expect(register).toHaveBeenCalledOnce()
  })

  it('is registered after 30000 ms where the page never comes to rest', () => {
    const { register } = browser({ loaded: false })
    scheduleServiceWorker(true)
    vi.advanceTimersByTime(29_999)
    expect(register).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(register).toHaveBeenCalledOnce()
  })

  it('is not registered in development, and nothing fails where the browser has none', () => {
    const { register, rest } = browser()
    scheduleServiceWorker(false)
    rest()
    vi.advanceTimersByTime(60_000)
    expect(register).not.toHaveBeenCalled()
    browser({ workers: false })
    expect(() => scheduleServiceWorker(true)).not.toThrow()
  })
})
