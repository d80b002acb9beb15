// @vitest-environment happy-dom
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { isMissingPart, reloadOnce } from './missing-part.ts'

const gone = (part: string) => new TypeError(`Failed to fetch dynamically imported module: https://x/assets/${part}.js`)

beforeEach(() => window.sessionStorage.clear())

describe('a part of the console that is gone', () => {
  it('reloads the page once, and each part by itself', () => {
    const reload = vi.fn()
    expect([reloadOnce(gone('a-1'), reload), reloadOnce(gone('a-1'), reload), reloadOnce(gone('b-1'), reload)]).toEqual(
      [true, false, true],
    )
    expect(reload).toHaveBeenCalledTimes(2)
  })

  it('does not reload where nothing can be remembered', () => {
    vi.spyOn(window.sessionStorage, 'setItem').mockImplementation(() => {
      throw new DOMException('full', 'QuotaExceededError')
    })
    const reload = vi.fn()
    expect(reloadOnce(gone('a-1'), reload)).toBe(false)
    expect(reload).not.toHaveBeenCalled()
    vi.restoreAllMocks()
  })

  it.each([
    'error loading dynamically imported module: https://x/assets/a.js',
    'Importing a module script failed.',
    'Unable to preload CSS for /assets/a.css',
  ])('is known by what each browser says: %s', said => {
    expect(isMissingPart(new TypeError(said))).toBe(true)
    expect(isMissingPart(new TypeError('x is not a function'))).toBe(false)
  })
})
