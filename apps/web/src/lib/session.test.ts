import { beforeEach, describe, expect, it, vi } from 'vitest'
import { endSession, followOtherTabs, keepMenus, keepToken, onSessionEnd, useSession } from './session.ts'
import { fakeBrowser } from './testing.ts'

const browser = fakeBrowser()
const token = (name: string, id = 'u') => ({ access_token: name, thingwrightAppId: 'app', id, username: 'demo' })

function elsewhere(value: object | null): void {
  if (value === null) browser.localStorage.removeItem('userToken')
  else browser.localStorage.setItem('userToken', JSON.stringify(value))
  browser.events.dispatchEvent(Object.assign(new Event('storage'), { key: 'userToken' }))
}

beforeEach(() => {
  useSession.setState({ token: null, me: null, menus: null, accountStatus: null })
})

describe('session', () => {
  it('keeps only the four fields of a sign-in', () => {
    keepToken({ ...token('a'), refresh_token: 'secret', expires_in: 900 } as never)
    expect(JSON.parse(browser.localStorage.getItem('userToken')!)).toEqual(token('a'))
  })

  it('forgets what was cached when another person signs in, not at a refresh', () => {
    keepToken(token('a'))
    keepMenus([])
    useSession.setState({ accountStatus: 2 })
    keepToken(token('b'))
    expect(useSession.getState()).toMatchObject({ menus: [], accountStatus: 2 })
    keepToken(token('c', 'other'))
    expect(useSession.getState()).toMatchObject({ menus: null, accountStatus: null })
    expect(browser.sessionStorage.getItem('menuInfo')).toBeNull()
  })

  it('tells its followers when it ends', () => {
    const ended = vi.fn()
    const stop = onSessionEnd(ended)
    keepToken(token('a'))
    endSession()
    expect(ended).toHaveBeenCalledTimes(1)
    expect(browser.localStorage.getItem('userToken')).toBeNull()
    stop()
    endSession()
    expect(ended).toHaveBeenCalledTimes(1)
  })

  it('follows other tabs: a refresh is taken over, a sign-out ends it, another person is told', () => {
    const ended = vi.fn()
    const other = vi.fn()
    const stop = followOtherTabs(ended, other)
    keepToken(token('a'))
    elsewhere(token('b'))
    expect(useSession.getState().token?.access_token).toBe('b')
    elsewhere(token('c', 'other'))
    expect(other).toHaveBeenCalledTimes(1)
    expect(useSession.getState().token?.access_token).toBe('b')
    elsewhere(null)
    expect(ended).toHaveBeenCalledTimes(1)
    expect(useSession.getState().token).toBeNull()
    stop()
  })
})
