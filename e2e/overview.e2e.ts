import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiClient, openBrowser, visitor } from './fixtures/console.ts'
import { type SharedServer, sharedServer } from './fixtures/shared-server.ts'
import { ConsolePage } from './pages/console-page.ts'

let server: SharedServer
let browser: Awaited<ReturnType<typeof openBrowser>>
beforeAll(async () => {
  server = await sharedServer()
  browser = await openBrowser()
})
afterAll(() => browser?.close())

describe('the overview of a company', () => {
  it('is where one lands, and stays as one arranged it: by keyboard, hidden, and as designed again', async () => {
    const { context, page } = await visitor(browser, { locale: 'en' })
    const console_ = new ConsolePage(page, server.url)
    await console_.enter()
    await console_.isAt('/stat/EnterpriseOverview')
    const api = await apiClient(server.url)
    type Kept = { layout: { order: string[]; hidden: string[] } | null }
    const kept = async () => (await api<Kept>('GET', '/statistics/layout')).layout
    const order = () => page.locator('[data-card]').evaluateAll(all => all.map(card => card.getAttribute('data-card')))
    await page.locator('[data-card="facts"]').waitFor()
    expect((await order()).slice(0, 3)).toEqual(['attention', 'changes', 'facts'])
    await page.getByRole('button', { name: 'Arrange cards' }).click()
    await page.getByRole('button', { name: /^Move “Key figures”/ }).press('ArrowLeft')
    await expect.poll(async () => (await order()).slice(0, 3)).toEqual(['attention', 'facts', 'changes'])
    // What a newcomer is shown first has a place in it too.
    await expect.poll(async () => (await kept())?.order.filter(card => card !== 'start')[1]).toBe('facts')
    await page.getByRole('button', { name: 'Hide “Top talkers”' }).click()
    await expect.poll(order).not.toContain('talkers')
    // Left in the same moment: what was arranged last is kept all the same.
    await page.reload()
    await expect.poll(async () => (await kept())?.hidden).toEqual(['talkers'])
    await page.locator('[data-card="facts"]').waitFor()
    expect(await order()).not.toContain('talkers')
    expect((await order()).slice(0, 3)).toEqual(['attention', 'facts', 'changes'])
    await page.getByRole('button', { name: 'Arrange cards' }).click()
    await page.getByRole('button', { name: 'Reset' }).click()
    await expect.poll(order).toContain('talkers')
    await context.close()
  })
})
