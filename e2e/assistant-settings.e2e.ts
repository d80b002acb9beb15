import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type LlmSimulator, startLlmSimulator } from '../tools/simulators/llm/llm-simulator.ts'
import { person } from './fixtures/arrange.ts'
import { violations } from './fixtures/axe.ts'
import { apiClient, openBrowser, type VisitOptions, visitor } from './fixtures/console.ts'
import { settled } from './fixtures/settled.ts'
import { type SharedServer, sharedServer } from './fixtures/shared-server.ts'
import { AssistantCards } from './pages/assistant-cards.ts'
import { ConsolePage } from './pages/console-page.ts'

const TAB = '/admin/account?tab=assistant'

describe('the assistant in the company account', () => {
  let model: LlmSimulator
  let server: SharedServer
  let browser: Browser
  const contexts: BrowserContext[] = []

  beforeAll(async () => {
    model = await startLlmSimulator({
      apiKey: 'the-right-key',
      model: 'm-large',
      script: [{ text: 'Hello from the model.', usage: { prompt: 1200, completion: 300 } }],
    })
    // The model stands on this machine: an operator would have to let it through as well.
    server = await sharedServer()
    browser = await openBrowser()
  })
  afterEach(async () => {
    for (const context of contexts.splice(0)) await context.close()
  })
  afterAll(async () => {
    await browser?.close()
    await model?.close()
  })

  async function signedIn(
    path: string,
    options: VisitOptions = { locale: 'en' },
    who = server.owner,
  ): Promise<[Page, ConsolePage]> {
    const { context, page } = await visitor(browser, options)
    contexts.push(context)
    const console_ = new ConsolePage(page, server.url)
    await console_.enterAt(path, who)
    return [page, console_]
  }

  it('a company takes a model of its own: tried, saved, its key never shown, its use and cost told', async () => {
    const [page, console_] = await signedIn(TAB)
    await page
      .getByRole('radio', { name: /Built-in engine/ })
      .and(page.locator(':checked'))
      .waitFor()
    await page.getByText('Nothing is sent to any model.').waitFor()
    await page.getByRole('radio', { name: /Own model/ }).check()

    // A pattern is not an address.
    await page.getByRole('button', { name: 'Ollama' }).click()
    await page.getByRole('button', { name: 'Test connection' }).click()
    await page.getByText('Replace HOST with the name of the machine').waitFor()

    await page.getByLabel(/^Service address/).fill(model.url)
    await page.getByLabel(/^Model name/).fill('m-large')
    await page.getByLabel(/^API key/).fill('a-wrong-key')
    await page.getByRole('button', { name: 'Test connection' }).click()
    await page.getByTestId('test-result').getByText('Connection failed').waitFor()
    await page.getByLabel(/^API key/).fill('the-right-key')
    // What was tried before says nothing of the new key.
    await expect.poll(() => page.getByTestId('test-result').textContent()).toBe('')
    await page.getByRole('button', { name: 'Test connection' }).click()
    await page
      .getByTestId('test-result')
      .getByText(/^Connected in/)
      .waitFor()
    await page.getByTestId('test-result').getByText('Hello from the model.').waitFor()

    await page.getByLabel(/^Monthly quota/).fill('100000')
    await page.getByLabel(/^Price of input/).fill('2')
    await page.getByLabel(/^Price of output/).fill('8')
    await page.getByRole('switch').click()
    await page.getByRole('button', { name: 'Save' }).click()
    await console_.hasNotice('Saved')
    await page.getByTestId('key-stored').waitFor()
    await page.getByText('no measured values and no messages (switched off)').waitFor()
    expect(await page.content()).not.toContain('the-right-key')
    const api = await apiClient(server.url)
    const stored = await api<Record<string, unknown>>('GET', '/assistant/settings')
    expect(stored).toMatchObject({
      engine: 'own',
      hasApiKey: true,
      monthlyTokens: 100_000,
      pricePerMillionIn: 200,
      pricePerMillionOut: 800,
      sendValues: false,
    })

    const panel = new AssistantCards(page)
    await panel.open()
    await (await panel.answerTo('Hello?')).getByText('Hello from the model.').waitFor()
    await page.keyboard.press('Escape')
    await page.getByText('Usage and cost', { exact: true }).click()
    const figures = page.getByTestId('usage-figures')
    await figures.getByText('1\u202f500', { exact: true }).waitFor()
    // 1 200 tokens at 2 yuan and 300 at 8 yuan a million.
    await figures.getByText('¥0.0048', { exact: true }).waitFor()
    const quota = page.getByTestId('quota').getByRole('progressbar')
    await expect.poll(() => quota.getAttribute('aria-valuenow')).toBe('2')
    await page.getByTestId('usage-chart').waitFor()
    await expect.poll(() => page.getByTestId('usage-people').getByRole('row').count()).toBe(2)

    await page.getByRole('button', { name: 'Reply log' }).click()
    const row = page.getByTestId('list').getByRole('row').filter({ hasText: 'm-large' })
    await row.getByText('Done', { exact: true }).waitFor()
    await row.getByText('300', { exact: true }).waitFor()

    await console_.open(TAB)
    await page.getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await console_.hasNotice('Saved')
    await expect
      .poll(async () => (await api<{ hasApiKey: boolean }>('GET', '/assistant/settings')).hasApiKey)
      .toBe(false)
  })

  it('a refused address is told at its field; what somebody else saved meanwhile is not overwritten', async () => {
    const [page] = await signedIn(TAB, { locale: 'zh', width: 1100 })
    await page.getByRole('radio', { name: /自有模型/ }).check()
    await page.getByLabel(/^服务地址/).fill('ftp://model.example')
    await page.getByLabel(/^模型名称/).fill('m')
    await page.getByRole('button', { name: '保存' }).click()
    await page
      .getByText(/模型服务地址必须以 https:\/\/ 开头/)
      .first()
      .waitFor()
    const api = await apiClient(server.url)
    await api('PATCH', '/assistant/settings', { engine: 'builtin' })
    await page.getByLabel(/^服务地址/).fill('https://model.example/v1')
    await page.getByRole('button', { name: '保存' }).click()
    await page.getByRole('alert').filter({ hasText: 'version.conflict' }).waitFor()
    expect(await api<{ engine: string }>('GET', '/assistant/settings')).toMatchObject({ engine: 'builtin' })
    await page.getByRole('button', { name: '载入最新设置' }).click()
    await page
      .getByRole('radio', { name: /内置引擎/ })
      .and(page.locator(':checked'))
      .waitFor()
    await expect.poll(() => page.getByRole('button', { name: '保存' }).isDisabled()).toBe(true)
  })

  it('switched off, nobody sees it; switched on, it is there again', async () => {
    const [page, console_] = await signedIn(TAB)
    await page.getByTestId('ai-ball').waitFor()
    await page.getByRole('radio', { name: /^Off/ }).check()
    await page.getByRole('button', { name: 'Save' }).click()
    await console_.hasNotice('Saved')
    await page.getByText('The assistant is off. Nothing is sent anywhere.').waitFor()
    await page.getByTestId('ai-ball').waitFor({ state: 'detached' })
    await page.reload()
    await page.getByText('The assistant is off. Nothing is sent anywhere.').waitFor()
    expect(await page.getByTestId('ai-ball').count()).toBe(0)
    await page.getByRole('radio', { name: /Built-in engine/ }).check()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByTestId('ai-ball').waitFor()
  })

  it('what it can do is listed by class with the right that each needs', async () => {
    const [page] = await signedIn(`${TAB}&view=abilities`, { locale: 'zh', width: 1100 })
    const reads = page.getByTestId('tools-read')
    await reads.getByText('list_devices').waitFor()
    await page.getByTestId('tools-delete').getByText('delete_device').waitFor()
    await page.getByLabel('搜索名称或问法').fill('rename_device')
    await reads.waitFor({ state: 'detached' })
    await page.getByTestId('tools-write').getByText('rename_device').waitFor()
    await page.getByLabel('搜索名称或问法').fill('没有这样的操作 xyz')
    await page.getByText('没有匹配的操作').waitFor()
  })

  it('who may only look changes nothing; who may not look is told which right is missing', async () => {
    const menuKeys = ['/admin/account']
    const reader = await person(server, { permissions: ['company:read'], menuKeys })
    const [page] = await signedIn(TAB, { locale: 'en' }, reader.username)
    await page.getByText('Read-only. Changes require').waitFor()
    expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0)
    const engines = page.getByRole('radiogroup', { name: 'Engine' }).getByRole('radio')
    await engines.first().waitFor()
    await expect.poll(() => engines.evaluateAll(all => all.every(one => (one as HTMLInputElement).disabled))).toBe(true)

    const other = await person(server, { permissions: ['device:read'], menuKeys })
    const [otherPage] = await signedIn(TAB, { locale: 'en' }, other.username)
    await otherPage.getByTestId('no-permission').getByText('company:read').waitFor()
  })

  it.each([
    { locale: 'zh', appearance: 'light', width: 1100 },
    { locale: 'en', appearance: 'dark', width: 1920 },
  ] as const)('every view is accessible ($locale, $appearance)', async look => {
    const [page, console_] = await signedIn(TAB, look)
    for (const view of ['', '&view=usage', '&view=abilities', '&view=replies']) {
      await console_.open(TAB + view)
      await settled(page)
      if (view === '') {
        await page.getByRole('radiogroup').getByRole('radio').nth(-2).check()
        await page.getByRole('textbox').nth(1).waitFor()
      }
      expect(await violations(page), view).toEqual([])
    }
  })
})
