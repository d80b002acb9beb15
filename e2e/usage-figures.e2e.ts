import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiClient, openBrowser, visitor } from './fixtures/console.ts'
import { type RunningServer, startServer } from './fixtures/server.ts'
import { ConsolePage } from './pages/console-page.ts'

const DAY_MS = 86_400_000

// What several pages say of the same thing they say alike.
describe('figures and results that stand in several places', () => {
  let server: RunningServer
  let browser: Browser
  let api: Awaited<ReturnType<typeof apiClient>>
  let desk: Awaited<ReturnType<typeof apiClient>>
  let companyId: string

  beforeAll(async () => {
    server = await startServer()
    browser = await openBrowser()
    api = await apiClient(server.url)
    desk = await apiClient(server.url, 'operator')
    const { items } = await desk<{ items: { id: string }[] }>('GET', '/operator/companies')
    companyId = items[0]!.id
  })
  afterAll(async () => {
    await browser?.close()
    await server?.stop()
  })

  async function open(path: string, username = 'admin', locale: 'zh' | 'en' = 'en') {
    const { context, page } = await visitor(browser, { locale })
    const console_ = new ConsolePage(page, server.url)
    await console_.enterAt(path, username)
    return { context, page, console_ }
  }
  const devices = (productId: string, names: string[]) =>
    Promise.all(
      names.map(name =>
        api<{ id: string; deviceNo: string; deviceSecret: string }>('POST', '/devices', {
          name,
          productId,
          deviceNo: name,
        }),
      ),
    )
  const product = (name: string) =>
    api<{ id: string; productKey: string }>('POST', '/products', {
      name,
      linkType: 'mqtt',
      thingModel: {
        properties: [{ identifier: 't', name: 't', dataType: { type: 'double' }, access: 'r' }],
      },
    })
  /** What a page says of each quota: `used` and, after a separator, the limit. */
  async function quotas(page: Page): Promise<Record<string, string>> {
    await page.getByTestId('usage-devices').waitFor()
    const lines = await page.locator('[data-testid^=usage-]').evaluateAll(all =>
      all.map(line => {
        const [, figure] = line.querySelectorAll('span')
        return [line.getAttribute('data-testid')!.slice('usage-'.length), figure!.textContent!] as const
      }),
    )
    return Object.fromEntries(lines.map(([kind, text]) => [kind, text.split(/\s[/·]\s/)[0]!]))
  }

  it('usage is one figure, at the company’s page, in the materials, in the list of messages and at the desk', async () => {
    const [one] = [await product('one'), await product('two')]
    const made = await devices(one.id, ['a', 'b', 'c', 'd'])
    await api('DELETE', `/devices/${made[3]!.id}`)
    const { items: roles } = await api<{ items: { id: string }[] }>('GET', '/roles')
    await api('POST', '/members/invitations', {
      address: 'new@acme.example',
      displayName: 'New',
      roleIds: [roles.at(-1)!.id],
    })
    for (let i = 0; i < 3; i++) {
      const reply = await fetch(`${server.url}/device/v1/${one.productKey}/a/property`, {
        method: 'POST',
        headers: { authorization: `Bearer ${made[0]!.deviceSecret}`, connection: 'close' },
        body: JSON.stringify({ t: i }),
      })
      expect(reply.status).toBe(200)
    }
    const { context, page } = await open('/admin/material')
    await page.setInputFiles('[data-testid=media-files]', [
      {
        name: 'plan.svg',
        mimeType: 'image/svg+xml',
        buffer: Buffer.from(
          `<svg xmlns="http://www.w3.org/2000/svg"><!--${'x'.repeat(3_000)}--><rect width="9"/></svg>`,
        ),
      },
    ])
    await page.getByRole('article', { name: 'plan.svg', exact: true }).waitFor()
    await page.reload()
    const room = (await page.getByTestId('media-usage').locator('span').nth(1).innerText()).split(' / ')[0]!
    expect(room).not.toMatch(/^0/)

    await page.goto(`${server.url}/admin/account?tab=usage`)
    await expect
      .poll(async () => {
        await page.reload()
        return (await quotas(page)).messagesPerDay
      })
      .toBe('3')
    const own = await quotas(page)
    expect(own).toMatchObject({ products: '2', members: '2', mediaBytes: room, pointsPerDay: '3' })
    const today = page.getByRole('table').locator('tbody tr').first().locator('td')
    expect((await today.allInnerTexts()).slice(1, 3)).toEqual([own.messagesPerDay, own.pointsPerDay])

    const operator = await open(`/operator/companies?id=${companyId}`, 'operator')
    const there = await quotas(operator.page)
    // A rate is of the moment.
    expect({ ...there, messagesPerSecond: '' }).toEqual({ ...own, messagesPerSecond: '' })
    const row = await operator.page.locator(`tr[data-row="${companyId}"]`).locator('td').allInnerTexts()
    expect(row).toContain(own.devices)
    expect(row.filter(cell => cell === own.members)).toHaveLength(1)
    await page.goto(`${server.url}/manage/device`)
    await page.locator('tr[data-row]').nth(2).waitFor()
    // The recycle bin is on nobody's account.
    const listed = await api<{ total: number }>('GET', '/devices?limit=1&total=1')
    expect([own.devices, String(listed.total)]).toEqual(['3', '3'])
    await Promise.all([context.close(), operator.context.close()])
  })

  it('days until the end are the same in the header, at the desk and in the assistant’s answer', async () => {
    // Early on the twelfth day from now: eleven whole days and a part of one. All count in one zone.
    const { version } = await api<{ version: number }>('GET', '/company')
    await api('PATCH', '/company', { version, timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone })
    const end = new Date(Date.now() + 12 * DAY_MS)
    end.setHours(0, 30, 0, 0)
    await desk('POST', `/operator/companies/${companyId}/term`, { status: 'active', expiresAt: end.toISOString() })
    const { context, page } = await open('/manage/device')
    await page.getByTestId('days-left').getByText('12 days left').waitFor()
    await page.getByTestId('ai-ball').click()
    await page.getByTestId('ai-input').fill('When does our company account expire?')
    await page.getByTestId('ai-send').click()
    const answer = page.getByTestId('ai-reply').last()
    await answer.and(page.locator('[data-state="2"]')).waitFor()
    await expect.poll(() => answer.innerText()).toMatch(/\b12 days/)
    const operator = await open('/operator/companies', 'operator')
    await operator.page.locator(`tr[data-row="${companyId}"]`).getByText('in 12 days').waitFor()
    await Promise.all([context.close(), operator.context.close()])
  })

  it.each(['en', 'zh'] as const)('a refused sign-in never reads as one that was let in (%s)', async locale => {
    const refused = await fetch(`${server.url}/oauth/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa('cli:cli')}`, connection: 'close' },
      body: new URLSearchParams({ grant_type: 'password', username: 'admin', password: 'not this one' }),
    })
    expect(refused.status).toBe(401)
    const done = locale === 'en' ? /\b(signed in|signed-in|succeeded|success)\b/i : /已登录|(?<!未)成功/
    const said = locale === 'en' ? /refused|rejected|not granted|wrong/i : /拒绝|未成功|错误/
    const { context, page } = await open('/admin/userlog', 'admin', locale)
    for (const path of ['/admin/userlog', '/admin/action', '/admin/security?tab=history']) {
      await page.goto(server.url + path)
      const row = page.locator('tbody tr').filter({ hasText: said }).first()
      await row.waitFor()
      expect(await row.innerText(), path).not.toMatch(done)
    }
    await context.close()
  })

  it('a task of which every part failed has failed, and an export is among the tasks', async () => {
    const [from, to] = [await product('from'), await product('to')]
    const there = await devices(from.id, ['x', 'y'])
    await devices(to.id, ['x', 'y'])
    await api('POST', '/device-batches', {
      target: { ids: there.map(({ id }) => id) },
      change: { action: 'product', productId: to.id, acceptLoss: true },
    })
    const { context, page } = await open('/manage/device')
    await page.locator('tr[data-row]').first().waitFor()
    await page.getByRole('button', { name: 'Export' }).click()
    const download = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: 'CSV' }).click()
    await download
    await page.getByTestId('task-centre').click()
    const tasks = page.getByTestId('task')
    await tasks.nth(1).waitFor()
    const [exported, batch] = [tasks.nth(0), tasks.nth(1)]
    await expect.poll(() => exported.innerText()).toMatch(/export/i)
    await expect.poll(() => exported.getAttribute('data-state')).toBe('succeeded')
    await expect.poll(() => batch.getAttribute('data-state')).toBe('failed')
    expect(await batch.innerText()).not.toMatch(/succeeded|done$/im)
    await context.close()
  })

  it('branding shows the colour that is in force, chosen or not', async () => {
    const { context, page } = await open('/admin/account?tab=branding')
    const shown = async () => {
      const sample = page.getByTestId('branding-preview').locator('span[style*=background]')
      return sample.evaluate(element => getComputedStyle(element).backgroundColor)
    }
    const inForce = () =>
      page.evaluate(() => {
        const probe = document.body.appendChild(document.createElement('i'))
        probe.style.color = 'var(--tw-primary)'
        const { color } = getComputedStyle(probe)
        probe.remove()
        return color
      })
    await page.getByTestId('branding-preview').waitFor()
    expect(await shown()).toBe(await inForce())
    const { version } = await api<{ version: number }>('GET', '/company')
    await api('PUT', '/company/branding', { version, title: '', titleEn: '', logo: '', colour: '#7a1fa2' })
    await page.reload()
    await expect.poll(shown).toBe('rgb(122, 31, 162)')
    await expect.poll(inForce).toBe('rgb(122, 31, 162)')
    expect(
      await page
        .getByLabel(/colour/i)
        .first()
        .inputValue(),
    ).toMatch(/7a1fa2/i)
    await context.close()
  })
})
