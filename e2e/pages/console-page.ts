import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { PASSWORD } from '../fixtures/server.ts'

/** What people do and see in the console, in the words of the journeys. */
export class ConsolePage {
  constructor(
    readonly page: Page,
    readonly url: string,
  ) {}

  async open(path: string): Promise<void> {
    await this.page.goto(this.url + path)
  }

  path(): string {
    const { pathname, search } = new URL(this.page.url())
    return pathname + search
  }

  async isAt(path: string): Promise<void> {
    await this.page.waitForURL(url => url.pathname === path, { timeout: 20_000 })
  }

  async signIn(username = 'admin', password = PASSWORD): Promise<void> {
    const card = this.page.getByTestId('sign-in-card')
    await card.waitFor()
    await card.locator('input').first().fill(username)
    await card.locator('input[type=password]').fill(password)
    await this.page.getByTestId('sign-in-submit').click()
  }

  /** Opens the sign-in page, signs in and waits for the first page of the menu. */
  async enter(username = 'admin', password = PASSWORD): Promise<void> {
    await this.open('/index')
    await this.signIn(username, password)
    await this.page.getByTestId('side-menu').waitFor()
  }

  /** Waits for a message on the screen, whatever else is shown there. */
  async hasNotice(text: string): Promise<void> {
    await this.page.getByTestId('notice').filter({ hasText: text }).first().waitFor({ timeout: 15_000 })
  }

  local(key: string): Promise<string | null> {
    return this.page.evaluate(k => localStorage.getItem(k), key)
  }

  session(key: string): Promise<string | null> {
    return this.page.evaluate(k => sessionStorage.getItem(k), key)
  }

  async box(testId: string): Promise<{ x: number; y: number; width: number; height: number }> {
    const box = await this.page.getByTestId(testId).boundingBox()
    expect(box, `${testId} is not on the page`).not.toBeNull()
    return box!
  }
}
