import { afterEach, beforeEach, vi } from 'vitest'
import { registerTexts, startI18n } from './i18n.ts'

/** A Web Storage in memory. */
export class MemoryStorage implements Storage {
  private readonly entries = new Map<string, string>()
  get length(): number {
    return this.entries.size
  }
  key(index: number): string | null {
    return [...this.entries.keys()][index] ?? null
  }
  getItem(key: string): string | null {
    return this.entries.get(key) ?? null
  }
  setItem(key: string, value: string): void {
    this.entries.set(key, value)
  }
  removeItem(key: string): void {
    this.entries.delete(key)
  }
  clear(): void {
    this.entries.clear()
  }
}

export interface FakeBrowser {
  localStorage: MemoryStorage
  sessionStorage: MemoryStorage
  location: { pathname: string; search: string; hash: string; origin: string; assign: (to: string) => void }
  events: EventTarget
}

/** A window as far as lib uses it, fresh for every test. */
export function fakeBrowser(): FakeBrowser {
  const browser = {} as FakeBrowser
  beforeEach(() => {
    browser.localStorage = new MemoryStorage()
    browser.sessionStorage = new MemoryStorage()
    browser.location = { pathname: '/', search: '', hash: '', origin: 'http://console.test', assign: () => {} }
    browser.events = new EventTarget()
    vi.stubGlobal('window', {
      ...browser,
      addEventListener: browser.events.addEventListener.bind(browser.events),
      removeEventListener: browser.events.removeEventListener.bind(browser.events),
      dispatchEvent: browser.events.dispatchEvent.bind(browser.events),
    })
  })
  afterEach(() => {
    vi.unstubAllGlobals()
    vi.useRealTimers()
  })
  return browser
}

/** Starts the languages with lib's own texts. */
export async function startTexts(): Promise<void> {
  registerTexts({
    './lib/locales/zh.json': async () => (await import('./locales/zh.json')).default,
    './lib/locales/en.json': async () => (await import('./locales/en.json')).default,
  })
  await startI18n('zh')
}
