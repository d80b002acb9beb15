import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiClient, openBrowser, visitor } from './fixtures/console.ts'
import { PASSWORD } from './fixtures/people.ts'
import { type RunningServer, startServer } from './fixtures/server.ts'
import { ConsolePage } from './pages/console-page.ts'

// The company account and the operator's desk, as the two sides see them.
describe('company account and operator’s desk', () => {
  let server: RunningServer
  let browser: Browser

  beforeAll(async () => {
    server = await startServer()
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await server?.stop()
  })

  async function open(username: string, path: string, locale: 'zh' | 'en' = 'zh') {
    const { context, page } = await visitor(browser, { locale })
    const console_ = new ConsolePage(page, server.url)
    await console_.enterAt(path, username)
    return { context, page, console_ }
  }

  it('branding chosen by the owner is in the header, the page title and on the sign-in page', async () => {
    const { context, page } = await open('admin', '/admin/account?tab=branding')
    await page.getByLabel('标题', { exact: true }).fill('北海物联')
    await page.getByTestId('branding-preview').getByText('北海物联').waitFor()
    await page.getByRole('button', { name: '保存' }).click()
    await page.getByTestId('brand').getByText('北海物联').waitFor()
    await expect.poll(() => page.title()).toMatch(/. · 北海物联$/)
    await context.close()

    const admin = await apiClient(server.url)
    const { appId } = await admin<{ appId: string }>('GET', '/company')
    const stranger = await visitor(browser, { locale: 'zh' })
    await stranger.page.goto(`${server.url}/index?company=${appId}`)
    await stranger.page.getByTestId('brand').getByText('北海物联').waitFor()
    await stranger.context.close()
  })

  it('a licence handed in by the company is accepted at the desk', async () => {
    const owner = await open('admin', '/admin/account?tab=verification')
    await owner.page.getByLabel('企业名称（与执照一致）').fill('北海仪表有限公司')
    await owner.page.getByLabel('统一社会信用代码').fill('91440300708461136T')
    await owner.page.getByTestId('licence-file').setInputFiles({
      name: '营业执照.pdf',
      mimeType: 'application/pdf',
      buffer: Buffer.from('%PDF-1.7 licence'),
    })
    await owner.page.getByText('营业执照.pdf').waitFor()
    await owner.page.getByRole('button', { name: '提交审核' }).click()
    await owner.page.getByText('审核中').first().waitFor()

    const operator = await open('operator', '/operator/approvals')
    await operator.page.getByRole('heading', { name: '北海仪表有限公司' }).waitFor()
    await operator.page.getByRole('button', { name: '通过' }).click()
    await operator.page.getByText('没有待处理的事项').waitFor()

    await owner.console_.open('/admin/account?tab=verification')
    await owner.page.getByText('已认证').first().waitFor()
    await owner.context.close()
    await operator.context.close()
  })

  it('a frozen company is told why, and works again when it is let go', async () => {
    const operator = await apiClient(server.url, 'operator')
    const { items } = await operator<{ items: { id: string }[] }>('GET', '/operator/companies')
    const id = items[0]!.id
    await operator('POST', `/operator/companies/${id}/freeze`, { reason: '欠费三个月' })
    const { context, page } = await visitor(browser, { locale: 'zh' })
    const console_ = new ConsolePage(page, server.url)
    await console_.open('/index')
    await console_.signIn()
    await console_.isAt('/alonePage/accountNotActivated')
    await page.getByTestId('account-facts').getByText('欠费三个月').waitFor()
    await page.getByRole('heading', { name: '企业账号已冻结' }).waitFor()
    const refused = await apiClient(server.url).then(api =>
      api('GET', '/devices').catch((error: Error) => error.message),
    )
    expect(refused).toContain('company.frozen')
    await operator('POST', `/operator/companies/${id}/unfreeze`)
    await page.getByRole('button', { name: '重新检查' }).click()
    await page.getByTestId('side-menu').waitFor()
    await context.close()
  })

  it('with the owner’s consent the operator looks in, marked and without changing anything', async () => {
    const admin = await apiClient(server.url)
    const operator = await open('operator', '/operator/companies')
    await operator.page.getByRole('link', { name: /.+/ }).filter({ hasNotText: /^$/ }).first().waitFor()
    const { items } = await (await apiClient(server.url, 'operator'))<{ items: { id: string; name: string }[] }>(
      'GET',
      '/operator/companies',
    )
    const company = items[0]!
    await operator.console_.open(`/operator/companies?id=${company.id}`)
    await operator.page.getByText('企业没有授权支持访问').first().waitFor()
    await expect.poll(() => operator.page.getByRole('button', { name: '进入企业' }).isDisabled()).toBe(true)

    await admin('POST', '/company/support-access', { hours: 1, mayWrite: false })
    await operator.page.reload()
    await operator.page.getByRole('button', { name: '进入企业' }).click()
    const bar = operator.page.getByTestId('support-bar')
    await bar.getByText(company.name).waitFor()
    const refused = await operator.page.evaluate(async () => {
      const { access_token } = JSON.parse(localStorage.getItem('userToken')!)
      const reply = await fetch('/api/v1/products', {
        method: 'POST',
        headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'x', linkType: 'mqtt' }),
      })
      return [reply.status, (await reply.json()).code]
    })
    expect(refused).toEqual([403, 'support.read_only'])
    await bar.getByRole('button').click()
    await operator.console_.isAt('/operator/companies')
    await operator.context.close()
    const log = await admin<{ items: { action: string; actorName: string }[] }>(
      'GET',
      '/audit-logs?action=operator.enter',
    )
    expect(log.items[0]).toMatchObject({ actorName: 'operator' })
  })

  it('the desk shows health and announces to companies; a company’s person finds no desk', async () => {
    const operator = await open('operator', '/operator/health', 'en')
    await operator.page.getByTestId('health-database').getByText('OK').waitFor()
    const gateway = operator.page.getByTestId('health-gateway')
    await gateway.getByText('OK').waitFor()
    await gateway.getByRole('button', { name: /^Show \d+ at zero$/ }).click()
    await gateway.getByText('Script threads ended').waitFor()
    // Every reading has words.
    await expect.poll(async () => (await operator.page.locator('dt').allInnerTexts()).join()).not.toMatch(/_/)
    await operator.console_.open('/operator/announcements')
    await operator.page.getByRole('button', { name: 'Add announcement' }).first().click()
    await operator.page.getByLabel('Chinese title').fill('今晚维护')
    await operator.page.getByLabel('English title').fill('Maintenance tonight')
    await operator.page.getByRole('button', { name: 'Save draft' }).click()
    await operator.page.getByText('Maintenance tonight').waitFor()
    await operator.page.getByRole('button', { name: 'Publish' }).first().click()
    await operator.page.getByText('Published').nth(1).waitFor()
    await operator.context.close()

    const { context, page, console_ } = await open('admin', '/manage/device')
    await page.getByTestId('announcement').getByText('今晚维护').waitFor()
    await page.getByTestId('announcement').getByRole('button').click()
    await page.getByTestId('announcement').waitFor({ state: 'detached' })
    await expect.poll(() => page.getByTestId('side-menu').getByText('平台运营').count()).toBe(0)
    await console_.open('/operator/companies')
    await expect.poll(() => new URL(page.url()).pathname).not.toBe('/operator/companies')
    await context.close()
    const token = await fetch(`${server.url}/oauth/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from('cli:cli').toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'password', username: 'admin', password: PASSWORD }),
    })
    const { access_token } = (await token.json()) as { access_token: string }
    for (const path of ['companies', 'approvals?state=open', 'health', 'tasks', 'announcements', 'settings']) {
      const reply = await fetch(`${server.url}/api/v1/operator/${path}`, {
        headers: { authorization: `Bearer ${access_token}` },
      })
      expect(reply.status, path).toBe(403)
    }
  })
})
