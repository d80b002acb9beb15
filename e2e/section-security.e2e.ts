import { createHmac } from 'node:crypto'
import type { Browser, CDPSession, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { person, withDatabase } from './fixtures/arrange.ts'
import { apiClient, openBrowser, visitor } from './fixtures/console.ts'
import { PASSWORD } from './fixtures/people.ts'
import { type RunningServer, startServer } from './fixtures/server.ts'
import { ConsolePage } from './pages/console-page.ts'

/** RFC 6238 with the usual values, as a phone computes it. */
function authenticatorCode(secret: string, at = Date.now()): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
  const bits = [...secret].map(c => alphabet.indexOf(c).toString(2).padStart(5, '0')).join('')
  const key = Buffer.from(bits.match(/.{8}/g)!.map(byte => Number.parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(at / 30_000)))
  const mac = createHmac('sha1', key).update(counter).digest()
  const offset = mac[19]! & 15
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}

describe('the security centre', () => {
  let server: RunningServer
  let browser: Browser
  /** Browsers have passkeys for names, not for 127.0.0.1. */
  let url: string

  beforeAll(async () => {
    server = await startServer()
    url = server.url.replace('127.0.0.1', 'localhost')
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await server?.stop()
  })

  async function signedIn() {
    const who = await person(server)
    const { context, page } = await visitor(browser, { locale: 'en' })
    const console_ = new ConsolePage(page, url)
    await console_.enter(who.username, who.password)
    return { who, context, page, console_ }
  }
  const prove = async (page: Page) => {
    await page.getByTestId('proof-input').fill(PASSWORD)
    await page.getByTestId('proof-submit').click()
  }
  const signOut = async (page: Page) => {
    await page.evaluate(() => localStorage.removeItem('userToken'))
    await page.context().clearCookies()
    await page.goto(`${url}/index`)
    await page.getByTestId('sign-in-card').waitFor()
  }
  async function virtualAuthenticator(page: Page): Promise<{ cdp: CDPSession; id: string }> {
    const cdp = await page.context().newCDPSession(page)
    await cdp.send('WebAuthn.enable')
    const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
    return { cdp, id: authenticatorId }
  }

  it('a passkey is made after a proof, signs in without a name, and no more once it is removed', async () => {
    const { context, page, console_, who } = await signedIn()
    const { cdp, id } = await virtualAuthenticator(page)
    await console_.open('/admin/security?tab=passkeys')
    await page.getByTestId('add-passkey').click()
    await prove(page)
    await page.getByTestId('passkeys').waitFor()
    const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId: id })
    expect(credentials.map(credential => [credential.rpId, credential.isResidentCredential])).toEqual([
      ['localhost', true],
    ])
    await page.getByRole('dialog').getByRole('textbox').fill('My laptop')
    await page.keyboard.press('Enter')
    await page.getByText('My laptop').waitFor()

    await signOut(page)
    await page.getByTestId('passkey-sign-in').click()
    await page.getByTestId('side-menu').waitFor()
    expect(JSON.parse((await console_.local('userToken'))!).username).toBe(who.username)

    await withDatabase(server, client =>
      client.query('delete from passkeys using logins l where l.id = login_id and l.username = $1', [who.username]),
    )
    await signOut(page)
    await page.getByTestId('passkey-sign-in').click()
    await page.getByTestId('sign-in-error').waitFor()
    await context.close()
  })

  it('an authenticator app is set up in the page, then the password alone does not open the door', async () => {
    const { context, page, console_, who } = await signedIn()
    await console_.open('/admin/security?tab=factors')
    await page.getByRole('button', { name: 'Set up' }).click()
    await prove(page)
    await page.getByTestId('qr-code').waitFor()
    await page.getByRole('button', { name: /Show|Reveal/ }).click()
    const shown = page.getByTestId('secret')
    await expect.poll(() => shown.textContent()).toMatch(/^[A-Z2-7]{32}$/)
    const secret = (await shown.textContent())!
    await page.locator('#totp-code').fill(authenticatorCode(secret))
    await page.getByRole('button', { name: 'Turn on' }).click()
    await page.getByTestId('backup-codes').waitFor()
    const codes = await page.getByTestId('backup-codes').locator('li').allTextContents()
    expect(codes).toHaveLength(10)

    await signOut(page)
    await console_.signIn(who.username, who.password)
    await page.getByTestId('second-step').waitFor()
    expect(await console_.local('userToken')).toBeNull()
    const field = page.getByTestId('second-step').locator('input')
    await field.fill('000000')
    await page.getByTestId('step-submit').click()
    await page.getByTestId('sign-in-error').waitFor()
    // A code counts once: the one that turned the app on is used up, so a backup code takes its place here.
    await page.getByTestId('step-ways').getByRole('button', { name: 'Backup code' }).click()
    await field.fill(codes[0]!)
    await page.getByTestId('step-submit').click()
    await page.getByTestId('side-menu').waitFor()
    await context.close()
  })

  it('a session that was ended elsewhere is over with its next request', async () => {
    const { context, page, console_, who } = await signedIn()
    const api = await apiClient(server.url, who.username, who.password)
    // The live connection would end the page too, perhaps before the next request is made.
    await page.routeWebSocket('**/api/v1/live', () => undefined)
    await console_.open('/admin/security?tab=sessions')
    await page.getByTestId('sessions').locator('li').nth(1).waitFor()
    await api('POST', '/security/proof', { method: 'password', password: who.password })
    await api('POST', '/security/sessions/end-others')
    await page.getByRole('tab', { name: 'Sign-in history' }).click()
    await page.getByTestId('sign-in-card').waitFor()
    await context.close()
  })

  it('an open live socket is closed when its address is no longer allowed, and so is every request', async () => {
    const who = await person(server)
    const api = await apiClient(server.url, who.username, who.password)
    const token = await fetch(`${server.url}/oauth/token`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from('cli:cli').toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams({ grant_type: 'password', username: who.username, password: who.password }),
    }).then(reply => reply.json() as Promise<{ access_token: string }>)
    const { page, context } = await visitor(browser)
    await page.goto(`${server.url}/index`)
    const closed = page.evaluate(
      ([address, access]) =>
        new Promise<number>(resolve => {
          const socket = new WebSocket(address!)
          socket.onopen = () => socket.send(JSON.stringify({ op: 'auth', token: access }))
          socket.onmessage = event => {
            if (JSON.parse(event.data).op === 'ready') Object.assign(window, { isReady: true })
          }
          socket.onclose = event => resolve(event.code)
        }),
      [`${server.url.replace('http', 'ws')}/api/v1/live`, token.access_token],
    )
    await page.waitForFunction(() => 'isReady' in window)
    await withDatabase(server, client =>
      client.query(
        `update tenants t set settings = '{"security":{"ipAllowList":["203.0.113.0/24"]}}' from logins l where l.tenant_id = t.id and l.username = $1`,
        [who.username],
      ),
    )
    expect(await closed).toBe(4401)
    await expect(api('GET', '/me')).rejects.toThrowError(/403 .*auth\.address_refused/)
    await expect(apiClient(server.url, who.username, who.password)).rejects.toThrowError(/auth\.address_refused/)
    await context.close()
  })

  it('where there can be no passkeys, the page says so and leads to an address where there are', async () => {
    const who = await person(server)
    const { context, page } = await visitor(browser, { locale: 'en' })
    const console_ = new ConsolePage(page, server.url)
    await console_.enter(who.username, who.password)
    await console_.open('/admin/security?tab=passkeys')
    await expect.poll(() => page.getByTestId('passkeys-hint').textContent()).toContain('http://localhost:')
    await expect.poll(() => page.getByTestId('add-passkey').isDisabled()).toBe(true)
    await context.close()
  })
})
