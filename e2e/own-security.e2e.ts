import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { person, withDatabase } from './fixtures/arrange.ts'
import { apiClient, openBrowser, visitor } from './fixtures/console.ts'
import { hasNotice } from './fixtures/notices.ts'
import { PASSWORD } from './fixtures/people.ts'
import { type SharedServer, sharedServer } from './fixtures/shared-server.ts'
import { ConsolePage } from './pages/console-page.ts'

describe('one’s own security', () => {
  let server: SharedServer
  let browser: Browser

  beforeAll(async () => {
    server = await sharedServer()
    browser = await openBrowser()
  })
  afterAll(() => browser?.close())

  async function signedIn(path: string, role: Parameters<typeof person>[1] = {}, locale: 'zh' | 'en' = 'en') {
    const who = await person(server, role)
    const { context, page } = await visitor(browser, { locale })
    const console_ = new ConsolePage(page, server.url)
    await console_.enterAt(path, who.username, who.password)
    return { who, context, page, console_ }
  }
  const prove = async (page: Page) => {
    await page.getByTestId('proof-input').fill(PASSWORD)
    await page.getByTestId('proof-submit').click()
  }
  /** What was sent to an address, newest first, from the file of what no carrier and no mail server takes. */
  function sentTo(address: string): string[] {
    return ['sms', 'mail'].flatMap(kind => {
      const path = join(server.dataDir, 'outbox', `${kind}.ndjson`)
      if (!existsSync(path)) return []
      const kept = readFileSync(path, 'utf8').trim().split('\n')
      return kept
        .map(line => JSON.parse(line) as { phone?: string; to?: string; text: string })
        .filter(({ phone, to }) => (phone ?? to) === address)
        .map(({ text }) => text)
    })
  }
  async function codeTo(address: string): Promise<string> {
    let code: string | undefined
    await expect
      .poll(
        () => {
          code = /\d{6}/.exec(sentTo(address)[0] ?? '')?.[0]
          return code
        },
        { message: `no code to ${address}` },
      )
      .toBeDefined()
    return code!
  }

  it('is reached by every role, also one that may open a single other page, from the account menu', async () => {
    const { context, page, console_ } = await signedIn('/manage/device', {
      permissions: ['device:read'],
      menuKeys: ['/manage/device'],
    })
    await page.getByTestId('header').getByRole('button').last().click()
    await page.getByRole('menuitem', { name: 'Security centre' }).click()
    await expect.poll(() => new URL(page.url()).pathname).toBe('/admin/security')
    await page.getByRole('heading', { name: 'Security centre' }).waitFor()
    for (const tab of ['password', 'contact', 'factors', 'passkeys', 'sessions', 'history'] as const) {
      await console_.open(`/admin/security?tab=${tab}`)
      await page.getByRole('tab', { selected: true }).waitFor()
      expect(await page.getByTestId('no-permission').count()).toBe(0)
    }
    await context.close()
  })

  it('is reached by every role that comes with a company: password, second step, sessions', async () => {
    const api = await apiClient(server.url)
    const { items } = await api<{ items: { id: string; key: string; builtin: boolean }[] }>('GET', '/roles')
    const builtIn = items.filter(role => role.builtin)
    expect(builtIn.length).toBeGreaterThanOrEqual(7)
    for (const { id, key } of builtIn) {
      const username = `holder.${key}`
      await withDatabase(server, async client => {
        await client.query(
          `insert into logins (id, tenant_id, kind, username, display_name, password_hash)
           select gen_random_uuid(), tenant_id, 'member', $1, $1, password_hash from logins where username = $2`,
          [username, server.owner],
        )
        await client.query(
          'insert into login_roles (login_id, role_id, tenant_id) select id, $2, tenant_id from logins where username = $1',
          [username, id],
        )
      })
      const { context, page } = await visitor(browser, { locale: 'en' })
      const console_ = new ConsolePage(page, server.url)
      await console_.enterAt('/admin/security?tab=password', username)
      for (const [tab, words] of [
        ['password', 'Change password'],
        ['factors', 'Two-step verification at sign-in'],
        ['sessions', 'Signed-in devices'],
      ] as const) {
        await page.getByRole('tab').nth(0).waitFor()
        if (tab !== 'password') await console_.open(`/admin/security?tab=${tab}`)
        await page.getByRole('heading', { name: words }).waitFor()
        expect(await page.getByTestId('no-permission').count(), `${key}: ${tab}`).toBe(0)
      }
      await page.getByTestId('sessions').getByText('This session').waitFor()
      await context.close()
    }
    // A page, a context and a sign-in for each role, one after the other.
  }, 180_000)

  it.each(['en', 'zh'] as const)(
    'phone and mail are changed by a code, after a proof, in the page (%s)',
    async locale => {
      const role = { permissions: [], menuKeys: ['/manage/device'] }
      const { context, page, console_, who } = await signedIn('/manage/device', role, locale)
      const [phone, email] =
        locale === 'en' ? ['13712340001', 'new.en@acme.example'] : ['13712340002', 'new.zh@acme.example']
      await withDatabase(server, client =>
        client.query('update logins set email = $2 where username = $1', [
          who.username,
          `old.${who.username}@acme.example`,
        ]),
      )
      await console_.open('/admin/security?tab=contact')
      await page.getByTestId('change-phone').click()
      await prove(page)
      await page.getByTestId('address-input').fill(phone)
      await page.getByTestId('address-send').click()
      const code = await codeTo(phone)
      await page.getByTestId('address-code').fill(code === '000000' ? '111111' : '000000')
      await page.getByTestId('address-save').click()
      await page.getByRole('dialog').locator('p[role=alert]').filter({ hasText: /\S/ }).waitFor()
      await page.getByTestId('address-code').fill(code)
      await page.getByTestId('address-save').click()
      await page
        .getByText(/^137\*+0001$|^137\*+0002$|137.*000[12]/)
        .first()
        .waitFor()
      await hasNotice(page, locale === 'en' ? 'Phone changed' : '手机号已更换')

      // The proof of a moment ago still counts.
      await page.getByTestId('change-email').click()
      await page.getByTestId('address-input').fill(email)
      await page.getByTestId('address-send').click()
      await page.getByTestId('address-code').fill(await codeTo(email))
      await page.getByTestId('address-save').click()
      const stored = () =>
        withDatabase(server, async client => {
          const { rows } = await client.query('select phone, email from logins where username = $1', [who.username])
          return rows[0]
        })
      await expect.poll(stored).toEqual({ phone, email })
      const logged = await withDatabase(server, client =>
        client.query(
          `select action from audit_logs where actor_name = $1 and action like 'profile.%' order by at, id`,
          [who.username],
        ),
      )
      expect(logged.rows.map(({ action }) => action)).toEqual(['profile.phone', 'profile.email'])
      // The address that was is told.
      await expect.poll(() => sentTo(`old.${who.username}@acme.example`).length).toBe(2)
      await context.close()
    },
  )

  it('a company’s file asks who reads it in, and goes on by itself', async () => {
    const { context, page } = await signedIn('/admin/account?tab=transfer')
    await page
      .getByTestId('import-file')
      .setInputFiles({ name: 'company.zip', mimeType: 'application/zip', buffer: Buffer.from('this is no company') })
    const sent = page.waitForResponse(response => response.url().includes('/import-files') && response.status() !== 403)
    await prove(page)
    // The file is a wrong one, but it was looked at.
    expect((await sent).status()).toBe(422)
    await context.close()
  })
})
