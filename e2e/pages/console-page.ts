import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { hasNotice } from '../fixtures/notices.ts'
import { ownerOf, PASSWORD } from '../fixtures/people.ts'

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
    await this.page.waitForURL(url => url.pathname === path)
  }

  async signIn(username = ownerOf(this.url).username, password = PASSWORD): Promise<void> {
    const card = this.page.getByTestId('sign-in-card')
    await card.waitFor()
    await card.locator('input').first().fill(username)
    await card.locator('input[type=password]').fill(password)
    await this.page.getByTestId('sign-in-submit').click()
  }

  /** Opens the sign-in page, signs in and waits for the first page of the menu. */
  async enter(username = ownerOf(this.url).username, password = PASSWORD): Promise<void> {
    await this.open('/index')
    await this.signIn(username, password)
    await this.page.getByTestId('side-menu').waitFor()
  }

  /**
   * Opens a page as somebody who has signed in before: the same request and the same entry of the storage as by the
   * sign-in page, without drawing that page and the first one of the menu, which half of a journey's time went into.
   */
  async enterAt(path: string, username = ownerOf(this.url).username, password = PASSWORD): Promise<void> {
    await this.takeToken(username, password)
    await this.open(path)
    await this.page.getByTestId('side-menu').waitFor()
  }

  /** What `enterAt` does before it opens its page: what is opened next is opened by somebody who has signed in. */
  async takeToken(username: string, password = PASSWORD): Promise<void> {
    const reply = await this.page.context().request.post(`${this.url}/oauth/token`, {
      headers: { authorization: `Basic ${btoa('web:web')}` },
      form: { grant_type: 'password', username, password },
    })
    expect(reply.status(), 'sign-in').toBe(200)
    const { access_token, thingwrightAppId, id, username: name } = await reply.json()
    await this.open('/favicon.svg')
    await this.page.evaluate(token => localStorage.setItem('userToken', JSON.stringify(token)), {
      access_token,
      thingwrightAppId,
      id,
      username: name,
    })
  }

  /** Waits for a short message, whatever else is shown and whether it is still there. */
  async hasNotice(text: string | RegExp): Promise<void> {
    await hasNotice(this.page, text)
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
