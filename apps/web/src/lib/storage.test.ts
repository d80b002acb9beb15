import { describe, expect, it, vi } from 'vitest'
import { clearCachedInfo, local, readPreference, session, typedStorage, writePreference } from './storage.ts'
import { fakeBrowser } from './testing.ts'

const browser = fakeBrowser()

describe('storage', () => {
  it('keeps words as they are and everything else as JSON', () => {
    local.set('lang', 'en')
    local.set('userToken', { access_token: 'a', thingwrightAppId: 'b', id: 'c', username: 'd' })
    session.set('redirectURL', '/manage/device?q=1')
    session.set('part.route', 'alarms')
    expect(browser.localStorage.getItem('lang')).toBe('en')
    expect(browser.localStorage.getItem('userToken')).toBe(
      '{"access_token":"a","thingwrightAppId":"b","id":"c","username":"d"}',
    )
    expect(browser.sessionStorage.getItem('redirectURL')).toBe('/manage/device?q=1')
    expect(browser.sessionStorage.getItem('part.route')).toBe('alarms')
    expect(local.get('userToken')?.id).toBe('c')
  })

  it('reads a spoiled entry as absent', () => {
    browser.localStorage.setItem('userToken', '{"access_token":')
    expect(local.get('userToken')).toBeNull()
  })

  it.each(['"light"', 'pink', '', '1'])('takes %s for no appearance and no language', word => {
    browser.localStorage.setItem('appearance', word)
    browser.localStorage.setItem('lang', word)
    expect(local.get('appearance')).toBeNull()
    expect(local.get('lang')).toBeNull()
  })

  it('removes profile, groups and menus by the F5 rule, and nothing else', () => {
    for (const key of ['userInfo', 'userToken', 'lang', 'appearance']) browser.localStorage.setItem(key, '1')
    for (const key of ['groupInfo1', 'groupInfo2', 'groupInfo3', 'menuInfo', 'redirectURL', 'part.route'])
      browser.sessionStorage.setItem(key, '1')
    clearCachedInfo()
    const left = (storage: Storage) => Array.from({ length: storage.length }, (_, index) => storage.key(index))
    expect(left(browser.localStorage)).toEqual(['userToken', 'lang', 'appearance'])
    expect(left(browser.sessionStorage)).toEqual(['redirectURL', 'part.route'])
  })

  it('works as if nothing was stored where the browser forbids storage', () => {
    const forbidden = typedStorage<{ word: string }>(() => {
      throw new DOMException('denied', 'SecurityError')
    })
    forbidden.set('word', 'x')
    forbidden.remove('word')
    expect(forbidden.get('word')).toBeNull()
    vi.stubGlobal('window', {})
    expect(readPreference('columns')).toBeNull()
    expect(() => writePreference('columns', [1])).not.toThrow()
  })

  it('keeps preferences under their own prefix', () => {
    writePreference('devices.columns', ['name'])
    expect(browser.localStorage.getItem('pref.devices.columns')).toBe('["name"]')
    expect(readPreference('devices.columns')).toEqual(['name'])
    writePreference('devices.columns', null)
    expect(readPreference('devices.columns')).toBeNull()
  })
})
