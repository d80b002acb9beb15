import { createHmac, hkdfSync, randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withDatabase } from './fixtures/arrange.ts'
import { openBrowser, visitor } from './fixtures/console.ts'
import { PASSWORD } from './fixtures/people.ts'
import { type RunningServer, startServer } from './fixtures/server.ts'
import { ConsolePage } from './pages/console-page.ts'

// Features §1.1 and the member rows of §1.27: registration, protection of the sign-in, forgotten passwords, invitations.
const SECRET_KEY = 'a secret key of the sign-in journeys, long enough'
const NEW_PASSWORD = 'Blue-Otter-Ladder-7'
const LETTERS = 'HKMPT'

describe('registration, sign-in protection, invitations', () => {
  let server: RunningServer
  let browser: Browser

  beforeAll(async () => {
    server = await startServer({ env: { SECRET_KEY, LOG_LEVEL: 'info' } })
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await server?.stop()
  })

  async function open(locale: 'zh' | 'en' = 'zh') {
    const { context, page } = await visitor(browser, { locale })
    return { context, page, console_: new ConsolePage(page, server.url) }
  }

  /** From now on captchas show known letters: only whoever holds the installation's key can make one. */
  async function knownCaptcha(page: Page): Promise<void> {
    const key = Buffer.from(hkdfSync('sha256', SECRET_KEY, '', 'thingwright:captcha', 32))
    await page.route('**/oauth/captcha', route => {
      const [id, expires] = [randomUUID(), Date.now() + 240_000]
      const mac = createHmac('sha256', key).update(`${id}.${expires}.${LETTERS}`).digest('base64url')
      // Its id makes every picture another one, as they are drawn.
      const image = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 150 50"><desc>${id}</desc><text x="9" y="30">${LETTERS}</text></svg>`
      return route.fulfill({
        contentType: 'application/json',
        body: JSON.stringify({ captchaId: `${id}.${expires}.${mac}`, image }),
      })
    })
  }

  /** Waits for a picture of known letters, another one than `before`: letters typed earlier would not be for it. */
  async function knownPicture(scope: Page | Locator, before = ''): Promise<string> {
    const pictures = scope.getByTestId('captcha').locator('img')
    let src = ''
    const look = async () => {
      src = await pictures.evaluateAll(all => all[0]?.getAttribute('src') ?? '')
      return src.includes(LETTERS) && src !== before
    }
    await expect.poll(look, { message: 'no other picture' }).toBe(true)
    return src
  }

  /** The newest message to an address since then, from the file of what no carrier and no mail server takes. */
  async function messageTo(address: string, after: number): Promise<string> {
    let text: string | undefined
    const kept = (kind: string): { phone?: string; to?: string; text: string; at: string }[] => {
      const path = join(server.dataDir, 'outbox', `${kind}.ndjson`)
      return existsSync(path)
        ? readFileSync(path, 'utf8')
            .trim()
            .split('\n')
            .map(line => JSON.parse(line))
        : []
    }
    await expect
      .poll(
        () => {
          text = [...kept('sms'), ...kept('mail')].find(
            message => (message.phone ?? message.to) === address && Date.parse(message.at) >= after,
          )?.text
          return text
        },
        { message: `no message to ${address}` },
      )
      .toBeDefined()
    return text!
  }
  const codeIn = (text: string) => /\d{6}/.exec(text)![0]
  const linkIn = (text: string) => /https?:\/\/\S+/.exec(text)![0]

  async function signOut(page: Page): Promise<void> {
    await page.evaluate(() => localStorage.clear())
    await page.context().clearCookies()
    await page.goto(`${server.url}/index`)
  }

  it('a company registers, is on trial, and its owner signs in again', async () => {
    const { context, page, console_ } = await open()
    await console_.open('/index')
    await page.getByTestId('open-register').click()
    const dialog = page.getByTestId('register-dialog')
    // The real picture: no text in it.
    await dialog.getByTestId('captcha').locator('img').waitFor()
    const src = decodeURIComponent((await dialog.getByTestId('captcha').locator('img').getAttribute('src'))!)
    expect(src).not.toContain('<text')
    await knownCaptcha(page)
    await dialog.getByTestId('captcha').click()
    const first = await knownPicture(dialog)

    await page.getByTestId('register-submit').click()
    for (const text of ['企业名称为 2 至 64 个字符', '请输入手机号', '请先阅读并同意服务条款'])
      await dialog.getByText(text).waitFor()
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('companyName')

    await dialog.locator('[name=companyName]').fill('晨光冷链')
    await dialog.locator('[name=username]').fill('admin')
    await dialog.locator('[name=phone]').fill('138 1234 5678')
    await dialog.locator('[name=captcha]').fill('wrong')
    await dialog.getByTestId('send-code').click()
    await dialog.getByText('图形验证码错误或已过期，请重新输入').waitFor()
    await knownPicture(dialog, first)
    await dialog.locator('[name=captcha]').fill(LETTERS.toLowerCase())
    const before = Date.now()
    await dialog.getByTestId('send-code').click()
    await dialog.getByText(/秒后重发/).waitFor()
    await dialog.locator('[name=code]').fill(codeIn(await messageTo('13812345678', before)))
    await dialog.locator('[name=password]').fill(NEW_PASSWORD)
    await dialog.locator('[name=acceptTerms]').check()
    await page.getByTestId('register-submit').click()
    await dialog.getByText('该用户名已被使用，换一个用户名').waitFor()
    // The code is still good: only the name was wrong.
    await dialog.locator('[name=username]').fill('chenguang')
    await page.getByTestId('register-submit').click()
    await console_.hasNotice('注册成功，试用期 30 天')
    await page.getByTestId('side-menu').waitFor()

    const company = await withDatabase(server, async db => {
      const { rows } = await db.query(`select status, expires_at from tenants where name = '晨光冷链'`)
      return rows[0]
    })
    expect(company.status).toBe('trial')
    expect(Math.round((company.expires_at.getTime() - Date.now()) / 86_400_000)).toBe(30)

    await signOut(page)
    await console_.signIn('chenguang', NEW_PASSWORD)
    await page.getByTestId('side-menu').waitFor()
    await context.close()
  })

  it('after three wrong passwords the letters of a picture are asked for; the right ones let in', async () => {
    const { context, page, console_ } = await open('en')
    await knownCaptcha(page)
    await console_.open('/index')
    for (let i = 0; i < 3; i++) {
      const answered = page.waitForResponse(response => response.url().endsWith('/oauth/token'))
      await console_.signIn('chenguang', 'wrong')
      expect((await answered).status()).toBe(401)
    }
    await expect.poll(() => page.getByTestId('captcha').count()).toBe(0)
    await console_.signIn('chenguang', NEW_PASSWORD)
    await page.getByTestId('sign-in-error').getByText('Enter the letters of the picture').waitFor()
    const first = await knownPicture(page)
    await page.locator('[name=captcha]').fill('AAAAA')
    await page.getByTestId('sign-in-submit').click()
    await page.getByText('Those were not the letters').waitFor()
    await knownPicture(page, first)
    await page.locator('[name=captcha]').fill(LETTERS)
    await page.getByTestId('sign-in-submit').click()
    await page.getByTestId('side-menu').waitFor()
    await context.close()
  })

  it('after five the sign-in is locked and counts down; the owner comes in by a code', async () => {
    const { context, page, console_ } = await open()
    await knownCaptcha(page)
    await console_.open('/index')
    let picture = ''
    for (let i = 0; i < 5; i++) {
      if (i > 2) {
        if (i === 3) {
          await console_.signIn('chenguang', 'wrong')
          picture = await knownPicture(page)
        }
        await page.locator('[name=captcha]').fill(LETTERS)
      }
      const answered = page.waitForResponse(response => response.url().endsWith('/oauth/token'))
      await console_.signIn('chenguang', 'wrong')
      expect((await answered).status()).toBe(401)
      // The page has taken the refusal in when it shows another picture.
      if (i > 2) picture = await knownPicture(page, picture)
    }
    await page.locator('[name=captcha]').fill(LETTERS)
    await console_.signIn('chenguang', NEW_PASSWORD)
    const locked = page.getByTestId('sign-in-locked')
    await locked.getByText(/1[45]:\d\d 后再试/).waitFor()
    await expect.poll(() => page.getByTestId('sign-in-submit').isDisabled()).toBe(true)
    const first = /\d\d:\d\d/.exec((await locked.textContent())!)![0]
    await page.waitForFunction(
      was => !document.querySelector('[data-testid=sign-in-locked]')?.textContent?.includes(was),
      first,
    )
    await locked.getByRole('button').click()
    await page.locator('[name=phone]').fill('13812345678')
    await withDatabase(server, db => db.query(`update code_requests set at = at - interval '2 minutes'`))
    const before = Date.now()
    await page.getByTestId('send-code').click()
    await page.locator('[name=code]').fill(codeIn(await messageTo('13812345678', before)))
    await page.getByTestId('sign-in-submit').click()
    await page.getByTestId('side-menu').waitFor()
    await context.close()
  })

  it('a forgotten password is set anew by a code on the phone', async () => {
    const { context, page, console_ } = await open('en')
    await knownCaptcha(page)
    await withDatabase(server, db => db.query(`update code_requests set at = at - interval '2 minutes'`))
    await console_.open('/index')
    await page.getByTestId('open-forgot').click()
    const dialog = page.getByTestId('forgot-dialog')
    await dialog.locator('[name=phone]').fill('13812345678')
    await knownPicture(dialog)
    await dialog.locator('[name=captcha]').fill(LETTERS)
    const before = Date.now()
    await dialog.getByTestId('send-code').click()
    await dialog.locator('[name=code]').fill(codeIn(await messageTo('13812345678', before)))
    await dialog.locator('[name=password]').fill('password123')
    await page.getByTestId('forgot-submit').click()
    await dialog
      .locator('[role=alert]')
      .filter({ hasText: /password/i })
      .first()
      .waitFor()
    await dialog.locator('[name=password]').fill('Green-Heron-Anvil-3')
    await page.getByTestId('forgot-submit').click()
    await console_.hasNotice('Password reset. Sign in with the new password')
    await console_.signIn('chenguang', 'Green-Heron-Anvil-3')
    await page.getByTestId('side-menu').waitFor()
    await context.close()
  })

  it('or by a link in a mail, which works once', async () => {
    await withDatabase(server, db =>
      db.query(`update logins set email = 'boss@chenguang.example' where username = 'chenguang'`),
    )
    const { context, page, console_ } = await open()
    await knownCaptcha(page)
    await console_.open('/index?forgot=1')
    const dialog = page.getByTestId('forgot-dialog')
    await dialog.getByRole('tab', { name: '邮箱链接' }).click()
    await dialog.locator('[name=email]').fill('boss@chenguang.example')
    await knownPicture(dialog)
    await dialog.locator('[name=captcha]').fill(LETTERS)
    const before = Date.now()
    await page.getByTestId('forgot-submit').click()
    await page.getByTestId('link-sent').waitFor()
    const link = linkIn(await messageTo('boss@chenguang.example', before))
    for (const [password, seen] of [
      [NEW_PASSWORD, '密码已重置，请使用新密码登录'],
      ['Another-Fine-Word-9', '链接已失效或已使用，请重新获取'],
    ] as const) {
      await page.goto('about:blank')
      await page.goto(link)
      await page.getByTestId('reset-dialog').locator('[name=password]').fill(password)
      await page.getByTestId('reset-submit').click()
      if (password === NEW_PASSWORD) await console_.hasNotice(seen)
      else await page.getByTestId('reset-dialog').getByText(seen).waitFor()
    }
    await console_.open('/index')
    await console_.signIn('chenguang', NEW_PASSWORD)
    await page.getByTestId('side-menu').waitFor()
    await context.close()
  })

  it('a colleague is invited, joins in his own language, is frozen and thrown out at once', async () => {
    const { context, page, console_ } = await open('en')
    await console_.open('/index')
    await console_.signIn('admin', PASSWORD)
    await page.getByTestId('side-menu').waitFor()
    await console_.open('/admin/member')
    await page.getByTestId('list').waitFor()
    await page.getByRole('button', { name: 'Invite member' }).first().click()
    const drawer = page.locator('.ant-drawer')
    await drawer.getByLabel('Email address or phone number').fill('nobody')
    await drawer.getByRole('button', { name: 'Send invitation' }).click()
    await drawer.getByText('Enter an email address or phone number').waitFor()
    await drawer.getByLabel('Email address or phone number').fill('li.na@acme.example')
    await drawer.getByText('Chinese').click()
    await drawer.getByText('Operations', { exact: true }).click()
    const before = Date.now()
    await drawer.getByRole('button', { name: 'Send invitation' }).click()
    await console_.hasNotice('Invitation sent to li.na@acme.example')
    const row = page.getByTestId('list').locator('tr').filter({ hasText: 'li.na@acme.example' })
    await row.getByText('Invited').waitFor()

    const guest = await open('zh')
    const link = linkIn(await messageTo('li.na@acme.example', before))
    await guest.page.goto(link)
    const dialog = guest.page.getByTestId('invite-dialog')
    await dialog.getByText('邀请您加入').waitFor()
    await dialog.getByText('li***@acme.example').waitFor()
    await dialog.locator('[name=displayName]').fill('李娜')
    await dialog.locator('[name=username]').fill('li.na')
    await dialog.locator('[name=password]').fill(NEW_PASSWORD)
    await guest.page.getByTestId('invite-submit').click()
    await dialog.getByText('请先阅读并同意服务条款').waitFor()
    await dialog.locator('[name=acceptTerms]').check()
    await guest.page.getByTestId('invite-submit').click()
    await guest.page.getByTestId('side-menu').waitFor()
    // The link is used up.
    const late = await open('en')
    await late.page.goto(link)
    await late.page.getByTestId('invite-dialog').getByText('This invitation cannot be used').waitFor()
    await late.context.close()

    await page.reload()
    const member = page.getByTestId('list').locator('tr').filter({ hasText: '李娜' })
    await member.getByText('Active').waitFor()
    await member.getByRole('button', { name: /more/i }).click()
    await page.getByRole('menuitem', { name: 'Suspend' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Suspend' }).click()
    await member.getByText('Suspended').waitFor()
    await guest.console_.open('/manage/device')
    await guest.console_.hasNotice('登录信息已过期, 请重新登录...')
    await guest.console_.isAt('/index')
    await guest.console_.signIn('li.na', NEW_PASSWORD)
    await guest.page.getByTestId('sign-in-error').getByText('冻结').waitFor()
    await guest.context.close()
    await context.close()
  })
})
