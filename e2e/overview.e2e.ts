import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBrowser, visitor } from './fixtures/console.ts'
import { type RunningServer, startServer } from './fixtures/server.ts'
import { ConsolePage } from './pages/console-page.ts'

let server: RunningServer
let browser: Awaited<ReturnType<typeof openBrowser>>
beforeAll(async () => {
  server = await startServer()
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.close()
  await server?.stop()
})

describe('the overview of a company', () => {
  it('is where one lands, and stays as one arranged it: by keyboard, hidden, and as designed again', async () => {
    const { context, page } = await visitor(browser, { locale: 'en' })
    const console_ = new ConsolePage(page, server.url)
    await console_.enter()
    await console_.isAt('/stat/EnterpriseOverview')
    const order = () => page.locator('[data-card]').evaluateAll(all => all.map(card => card.getAttribute('data-card')))
    await page.locator('[data-card="facts"]').waitFor()
    expect((await order()).slice(0, 3)).toEqual(['attention', 'changes', 'facts'])
    await page.getByRole('button', { name: 'Arrange cards' }).click()
    await page.getByRole('button', { name: /^Move “Key figures”/ }).press('ArrowLeft')
    await expect.poll(async () => (await order()).slice(0, 3)).toEqual(['attention', 'facts', 'changes'])
    await page.getByRole('button', { name: 'Hide “Top talkers”' }).click()
    await expect.poll(order).not.toContain('talkers')
    await page.reload()
    await page.locator('[data-card="facts"]').waitFor()
    expect(await order()).not.toContain('talkers')
    expect((await order()).slice(0, 3)).toEqual(['attention', 'facts', 'changes'])
    await page.getByRole('button', { name: 'Arrange cards' }).click()
    await page.getByRole('button', { name: 'Reset' }).click()
    await expect.poll(order).toContain('talkers')
    await context.close()
  })
})
