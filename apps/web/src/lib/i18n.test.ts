import { beforeAll, describe, expect, it } from 'vitest'
import { changeLocale, loadTexts, locale, namespaceOf, onLocale, registerTexts, startI18n, text } from './i18n.ts'
import { fakeBrowser } from './testing.ts'

const browser = fakeBrowser()
const loaded: string[] = []
const file = (name: string, texts: Record<string, unknown>) => ({
  [name]: async () => {
    loaded.push(name)
    return texts
  },
})

beforeAll(async () => {
  registerTexts({
    ...file('./lib/locales/zh.json', { hi: '你好 {{name}}' }),
    ...file('./lib/locales/en.json', { hi: 'Hello {{name}}' }),
    ...file('./features/devices/locales/zh.json', { title: '设备' }),
    ...file('./features/devices/locales/en.json', { title: 'Devices' }),
  })
  await startI18n('zh')
})

describe('languages', () => {
  it('name a namespace after the folder above', () => {
    expect(namespaceOf('./app/locales/zh.json')).toEqual({ namespace: 'shell', locale: 'zh' })
    expect(namespaceOf('./lib/locales/en.json')).toEqual({ namespace: 'common', locale: 'en' })
    expect(namespaceOf('./ui/list-page/locales/en.json')).toEqual({ namespace: 'list-page', locale: 'en' })
    expect(namespaceOf('./features/devices/api.ts')).toBeNull()
  })

  it('download a namespace when it is needed, once, in the language shown', async () => {
    await Promise.all([loadTexts('common'), loadTexts('common'), loadTexts('devices', 'common')])
    expect(loaded).toEqual(['./lib/locales/zh.json', './features/devices/locales/zh.json'])
    expect(text('common:hi', { name: '<b>' })).toBe('你好 <b>')
  })

  it('switch with everything the page uses, remember the choice and tell followers', async () => {
    const told: string[] = []
    const stop = onLocale(now => told.push(`${now} ${text('devices:title')}`))
    await changeLocale('en')
    stop()
    expect(locale()).toBe('en')
    expect(told).toEqual(['en Devices'])
    expect(browser.localStorage.getItem('lang')).toBe('en')
    expect(text('common:hi', { name: 'x' })).toBe('Hello x')
  })

  it('do not fail for a feature without texts', async () => {
    await expect(loadTexts('nothing')).resolves.toBeUndefined()
  })
})
