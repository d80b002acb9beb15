import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { assistantStage } from './fixtures/assistant-stage.ts'
import { WORDS } from './fixtures/assistant-words.ts'

/** Where to leave pictures to be looked at; unset: none are made. */
const PICTURES = process.env.E2E_PICTURES

// The assistant beside what else is on the page: the sign-in card, links, a reload.
describe.each(['zh', 'en'] as const)('the assistant beside the page (%s)', locale => {
  const words = WORDS[locale]
  const stage = assistantStage(locale)

  const picture = async (name: string) => {
    if (PICTURES) await stage.page.screenshot({ path: `${PICTURES}/${name}-${locale}.png` })
  }
  const boxOf = async (part: Locator) => (await part.boundingBox())!
  const apart = async (a: Locator, b: Locator) => {
    const [one, other] = [await boxOf(a), await boxOf(b)]
    return (
      one.x + one.width <= other.x ||
      other.x + other.width <= one.x ||
      one.y + one.height <= other.y ||
      other.y + other.height <= one.y
    )
  }

  it('steps aside when the sign-in card is shown, its ball and its window', async () => {
    for (const width of [1100, 1920]) {
      await stage.visit({ width, height: 700 })
      const { page, panel, shell } = stage
      await page.goto(`${shell.url}/index`)
      const card = page.getByTestId('sign-in-card')
      await card.waitFor()
      await page.evaluate(() => {
        const box = document.querySelector('[data-testid=sign-in-card]')!.getBoundingClientRect()
        localStorage.setItem('aiButtonPosition', JSON.stringify({ x: box.x + 40, y: box.y + 40 }))
      })
      await page.reload()
      await card.waitFor()
      await panel.ball.waitFor()
      await expect.poll(() => apart(panel.ball, card)).toBe(true)
      await panel.open()
      await expect.poll(() => apart(panel.window, card)).toBe(true)
      await picture(`sign-in-${width}`)
      await panel.part('dock').click()
      await expect.poll(() => apart(panel.window, card)).toBe(true)
    }
  })

  it('sends once when "send" is clicked twice, and goes on with the answer', async () => {
    const { proxy, shell, panel } = stage
    await shell.enterAt('/manage/product')
    await panel.open()
    const before = proxy.questions.length
    const scripted = proxy.script('reply-double')
    await panel.input.fill('once')
    await panel.send.dblclick()
    const reply = await scripted
    reply.text('still here')
    reply.end()
    await expect.poll(async () => (await panel.finished()).innerText()).toContain('still here')
    expect(proxy.questions.length).toBe(before + 1)
    expect(await panel.part('question').count()).toBe(1)
    expect(stage.requests.filter(request => request.endsWith('/stop'))).toEqual([])
  })

  it('scrolls wide tables, and opens links: ours in the console, others in a tab of their own', async () => {
    const { page, proxy, shell, panel, context } = stage
    await shell.enterAt('/manage/product')
    await panel.open()
    const scripted = proxy.script('reply-table')
    await panel.ask('a table')
    const reply = await scripted
    const columns = Array.from({ length: 9 }, (_, n) => `column ${n} \u6e29\u5ea6`)
    const row = (cells: string[]) => `| ${cells.join(' | ')} |`
    reply.text(
      [row(columns), row(columns.map(() => '---')), row(columns.map(() => 'value of it')), ''].join('\n') +
        '\n[devices](/manage/device) and [manual](https://docs.example/guide)\n',
    )
    reply.end()
    const answer = await panel.finished()
    const table = answer.locator('section:has(> table)')
    await table.waitFor()
    const [inner, outer] = await table.evaluate(box => [box.scrollWidth, box.clientWidth])
    expect(inner).toBeGreaterThan(outer! + 100)
    expect((await boxOf(table)).width).toBeLessThanOrEqual((await boxOf(answer)).width)
    await table.evaluate(box => box.scrollBy(300, 0))
    expect(await table.evaluate(box => box.scrollLeft)).toBeGreaterThan(0)
    await picture('table')
    const manual = answer.getByRole('link', { name: 'https://docs.example/guide' })
    expect(await manual.getAttribute('rel')).toMatch(/noopener.*noreferrer/)
    await context.route('https://docs.example/**', route => route.fulfill({ body: 'guide' }))
    const [opened] = await Promise.all([context.waitForEvent('page'), manual.click()])
    await opened.waitForURL('https://docs.example/guide')
    expect(await opened.evaluate(() => window.opener)).toBeNull()
    await opened.close()
    // In the router: the page is not loaded anew, and full screen makes way for it.
    await panel.part('full').click()
    await page.evaluate(() => Object.assign(window, { same: true }))
    await answer.getByRole('link', { name: 'devices' }).click()
    await page.waitForURL(/\/manage\/device$/)
    expect(await page.evaluate(() => 'same' in window)).toBe(true)
    await expect.poll(() => panel.window.getAttribute('data-mode')).toBe('floating')
  })

  it('says in the history why a reply ended with the sign-in', async () => {
    const { page, proxy, shell, panel } = stage
    await shell.enterAt('/manage/product')
    await panel.open()
    const scripted = proxy.script('reply-expired')
    await panel.ask('what of the boiler')
    const reply = await scripted
    reply.text('begun ')
    await panel.part('reply').getByText('begun').waitFor()
    const id = await page.evaluate(() => JSON.parse(localStorage.getItem('userToken')!).id as string)
    await signOutElsewhere(page)
    await page.getByTestId('sign-in-card').waitFor()
    const kept = () =>
      page.evaluate(
        name =>
          new Promise<string>((resolve, reject) => {
            const opening = indexedDB.open(`thingwright-assistant-${name}`)
            opening.onerror = () => reject(opening.error)
            opening.onsuccess = () => {
              const all = opening.result.transaction(name).objectStore(name).getAll()
              all.onsuccess = () => {
                opening.result.close()
                resolve(JSON.stringify(all.result))
              }
            }
          }),
        id,
      )
    await expect.poll(kept).toContain(words.error.signedOut)
    expect(await kept()).toContain('begun')
    expect(
      JSON.parse(await kept())
        .at(-1)
        .content.at(-1).state,
    ).toBe(2)
  })

  it('comes back after a reload with its conversation, and with a reply that is still coming', async () => {
    const { page, proxy, shell, panel } = stage
    await shell.enterAt('/manage/product')
    await panel.open()
    await panel.ask(words.starters.always[0]!)
    // Without its age, which goes on.
    const said = async (n = 0) => (await panel.finished(n)).getByTestId('message-body').innerText()
    const whole = await said()
    expect(whole.length).toBeGreaterThan(80)
    await page.reload()
    await panel.open()
    await expect.poll(() => said()).toBe(whole)
    // The server goes on with a real reply; nothing is asked twice.
    const before = proxy.questions.length
    const held = proxy.holdNext()
    await panel.ask(words.starters.always[0]!)
    await held
    // The name of this reply, which is what it is found by; the first one has long had its own.
    await expect.poll(() => panel.stored('replyId', '"state":1')).toBe(true)
    await page.reload()
    await panel.open()
    await expect.poll(() => said(1)).toMatch(/[\s\S]{81}/)
    expect(proxy.questions.length).toBe(before + 2)
    expect(proxy.questions.at(-1)!.headers['last-event-id']).toMatch(/:0$/)
    // A new one is what comes back then: nothing.
    await panel.part('new-chat').click()
    await page.reload()
    await panel.open()
    await panel.part('starter').first().waitFor()
  })
})

/** The sign-in has ended elsewhere: the next request is refused, and the renewal as well. */
async function signOutElsewhere(page: Page): Promise<void> {
  await page.route('**/oauth/token', route =>
    route.fulfill({ status: 401, json: { code: 'auth.expired', message: 'x' } }),
  )
  await page.route('**/api/v1/**', route =>
    route.fulfill({ status: 401, json: { code: 'auth.expired', message: 'x' } }),
  )
  await page.evaluate(() => window.dispatchEvent(new Event('focus')))
  await page.locator('nav a[href="/manage/device"]').first().click()
}
