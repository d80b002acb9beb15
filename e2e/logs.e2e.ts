import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withDatabase } from './fixtures/arrange.ts'
import { apiClient, openBrowser, visitor } from './fixtures/console.ts'
import { PASSWORD } from './fixtures/people.ts'
import { type RunningServer, startServer } from './fixtures/server.ts'
import { ConsolePage } from './pages/console-page.ts'

let server: RunningServer
let browser: Browser
let ended = false

beforeAll(async () => {
  server = await startServer({ keep: true })
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.close()
  if (!ended) await server?.stop()
  if (server) rmSync(server.dataDir, { recursive: true, force: true })
})

/** `npm run audit:verify` without its look at what is installed and built. */
function verifyFromOutside(): { status: number | null; says: string } {
  const root = join(import.meta.dirname, '..')
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'dist/server/audit-verify.js')], {
    cwd: root,
    encoding: 'utf8',
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      DATA_DIR: server.dataDir,
      LOG_FORMAT: 'json',
      ...server.databaseEnv,
    },
  })
  return { status, says: stdout + stderr }
}

describe('operation log, user log and task centre', () => {
  it('shows a change with its before and after, exports, verifies in the background, and finds tampering', async () => {
    const api = await apiClient(server.url)
    const { id } = await api<{ id: string }>('POST', '/groups', { kind: 'device', name: 'Pump house' })
    await api('PATCH', `/groups/${id}`, { version: 1, name: 'Boiler room' })
    const { context, page } = await visitor(browser, { locale: 'en' })
    const console = new ConsolePage(page, server.url)
    await console.enterAt('/admin/action')
    await page.getByRole('button', { name: 'Group · changed' }).click()
    const line = page.getByTestId('audit-line')
    await line.waitFor()
    const row = line.getByRole('row', { name: /name/ })
    await expect.poll(() => row.getByRole('cell').allTextContents()).toEqual(['Pump house', 'Boiler room'])
    // The open line is in the address: a colleague opens the same one.
    expect(console.path()).toMatch(/^\/admin\/action\?line=/)
    await page.keyboard.press('Escape')
    await line.waitFor({ state: 'detached' })

    await page.getByRole('button', { name: 'Export' }).click()
    const download = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: 'CSV' }).click()
    const file = await download
    expect(file.suggestedFilename()).toMatch(/^operation-log-.*\.csv$/)
    expect(readFileSync(await file.path(), 'utf8')).toContain('group.update')

    const outcome = page.getByTestId('verification')
    // The look at earlier verifications is answered when there is a new one already.
    let answer = () => {}
    const late = new Promise<void>(resolve => {
      answer = resolve
    })
    await page.route(
      '**/api/v1/tasks?*kind=audit.verify*',
      async route => {
        const response = await route.fetch()
        await late
        // Given up by the page meanwhile.
        await route.fulfill({ response }).catch(() => undefined)
      },
      { times: 1 },
    )
    await page.getByRole('button', { name: 'Verify', exact: true }).click()
    // What it cannot show is said before anybody relies on it.
    await expect.poll(() => page.getByTestId('verify-limits').textContent()).toContain('removed together with its note')
    await page.getByTestId('verify').click()
    await outcome.waitFor()
    answer()
    await outcome.and(page.locator('[data-state=ok]')).waitFor()
    expect(verifyFromOutside()).toMatchObject({ status: 0 })

    // A line changed in the chain, and one put in just now by somebody who can write the database.
    const unlinked = 'select from audit_pending p join audit_logs l on l.id = p.audit_id where l.action = $1'
    const linked = (action: string) =>
      expect.poll(() => withDatabase(server, async client => (await client.query(unlinked, [action])).rowCount)).toBe(0)
    await linked('group.update')
    await withDatabase(server, client =>
      client.query("update audit_logs set after = '{}' where action = 'group.update'"),
    )
    await withDatabase(server, client =>
      client.query(
        `insert into audit_logs (id, tenant_id, at, actor_kind, actor_name, action, object_type)
         select gen_random_uuid(), tenant_id, now() - interval '2 days', 'member', 'li.na', 'device.remove', 'device'
         from audit_logs where action = 'group.update'`,
      ),
    )
    // What is linked while the log is read is left for the next time.
    await linked('device.remove')
    await page.getByTestId('verify').click()
    await outcome.and(page.locator('[data-state=broken]')).waitFor()
    await expect.poll(() => outcome.textContent()).toContain('content differs from when it was chained')
    expect(await outcome.textContent()).toContain('not written by the platform, or changed afterwards')
    const outside = verifyFromOutside()
    expect(outside.status).toBe(1)
    expect(outside.says).toContain('audit.line_changed')
    expect(outside.says).toContain('audit.line_unauthenticated')

    await page.keyboard.press('Escape')
    await page.getByTestId('task-centre').click()
    const tasks = page.getByTestId('task')
    await tasks.first().waitFor()
    // The export that went before, and two looks at the log.
    await expect.poll(() => tasks.count()).toBe(3)
    // The newest one read every line and counts the two it found as failed.
    await expect.poll(() => tasks.first().getAttribute('data-state')).toBe('partial')
    await page.keyboard.press('Escape')
    await page.getByTestId('task-drawer').waitFor({ state: 'detached' })
    await context.close()
  })

  it('says in Chinese too what a verification cannot show', async () => {
    const { context, page } = await visitor(browser, { locale: 'zh' })
    await new ConsolePage(page, server.url).enterAt('/admin/action')
    await page.getByRole('button', { name: '完整性校验' }).click()
    await expect.poll(() => page.getByTestId('verify-limits').textContent()).toContain('连同登记一起被删除的最新日志')
    await context.close()
  })

  it('notes sign-ins, refused ones and sign-outs in the user log', async () => {
    const { context, page } = await visitor(browser, { locale: 'en' })
    const console = new ConsolePage(page, server.url)
    const sent = (path: string, body: Record<string, string>) =>
      fetch(server.url + path, {
        method: 'POST',
        headers: {
          authorization: `Basic ${Buffer.from('cli:cli').toString('base64')}`,
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: new URLSearchParams(body),
      })
    const person = { grant_type: 'password', username: 'admin' }
    expect((await sent('/oauth/token', { ...person, password: 'not the password' })).status).toBe(401)
    const session = await sent('/oauth/token', { ...person, password: PASSWORD })
    const { refresh_token } = (await session.json()) as { refresh_token: string }
    expect((await sent('/oauth/revoke', { refresh_token })).status).toBe(200)
    await console.enterAt('/admin/userlog')
    const list = page.getByTestId('list')
    await list.getByText('Sign-out').first().waitFor()
    await list.getByText('Rejected').first().waitFor()
    await context.close()
  })

  it('is verified from outside on a stopped server as well', async () => {
    expect(await server.stop()).toBe(0)
    ended = true
    const outside = verifyFromOutside()
    expect(outside.status).toBe(1)
    expect(outside.says).toContain('BROKEN')
  })
})
