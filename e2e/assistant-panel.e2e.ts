import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import en from '../apps/web/src/features/assistant/locales/en.json'
import zh from '../apps/web/src/features/assistant/locales/zh.json'
import { ChatProxy } from './fixtures/chat-proxy.ts'
import { apiClient, openBrowser, visitor } from './fixtures/console.ts'
import { type Furniture, furnish } from './fixtures/furnished.ts'
import { type RunningServer, startServer } from './fixtures/server.ts'
import { AssistantWindow } from './pages/assistant-window.ts'
import { ConsolePage } from './pages/console-page.ts'

const SIZE = { width: 1440, height: 900 }

// The window of the assistant, with the pixels and times of the specification (§2 to §9).
describe.each([
  ['zh', zh],
  ['en', en],
] as const)('the assistant (%s)', (locale, words) => {
  const proxy = new ChatProxy()
  let server: RunningServer
  let browser: Browser
  let furniture: Furniture
  let context: BrowserContext
  let page: Page
  let shell: ConsolePage
  let panel: AssistantWindow
  let requests: string[]

  beforeAll(async () => {
    server = await startServer()
    await proxy.start(server.url)
    browser = await openBrowser()
    furniture = await furnish(server)
  }, 180_000)
  afterAll(async () => {
    await browser?.close()
    proxy.stop()
    await server?.stop()
  })
  beforeEach(async () => {
    ;({ context, page } = await visitor(browser, { locale, ...SIZE }))
    shell = new ConsolePage(page, proxy.url)
    panel = new AssistantWindow(page)
    requests = []
    page.on('request', request => {
      const { pathname } = new URL(request.url())
      if (pathname.startsWith('/api/v1/assistant')) requests.push(`${request.method()} ${pathname}`)
    })
  })
  afterEach(() => context.close())

  it('asks a visitor to sign in, calls nothing and speaks of no expiry', async () => {
    await shell.open('/index')
    await panel.ball.waitFor()
    expect(await panel.ball.innerText()).toBe('AI')
    await panel.open()
    await panel.part('sign-in-asked').getByText(words.signIn.title).waitFor()
    for (const name of ['new-chat', 'history-button']) {
      const button = panel.part(name)
      expect(await button.getAttribute('aria-disabled')).toBe('true')
      expect(await panel.tip(button)).toBe(words.tip.signIn)
    }
    await panel.refused(panel.part('new-chat'))
    await shell.hasNotice(words.tip.signIn)
    expect(await panel.part('starter').allInnerTexts()).toEqual(words.starters.always)
    await panel.ask('x')
    await shell.hasNotice(words.tip.signIn)
    expect(await panel.part('question').count()).toBe(0)
    expect(await panel.input.inputValue()).toBe('x')
    await panel.part('full').click()
    for (const name of ['new-chat', 'history-clear']) expect(await panel.tip(panel.part(name))).toBe(words.tip.signIn)
    expect(requests).toEqual([])
    expect(proxy.questions).toEqual([])
    for (const notice of await page.getByTestId('notice').allInnerTexts()) expect(notice).toContain(words.tip.signIn)
    // The way to the sign-in; what was typed waits for him.
    await panel.part('sign-in').click()
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.closest('[data-testid=sign-in-card]') !== null))
      .toBe(true)
    await shell.signIn()
    await page.getByTestId('side-menu').waitFor()
    await panel.open()
    expect(await panel.input.inputValue()).toBe('x')
  })

  it('stands on pages that may have it, signed in or not', async () => {
    for (const path of ['/alonePage/FunctionsAndCharges', '/alonePage/TermsService']) {
      await shell.open(path)
      await panel.ball.waitFor()
    }
    await shell.open('/nowhere/at-all')
    await page.getByTestId('header').waitFor()
    expect(await panel.ball.count()).toBe(0)
    await shell.enter()
    await panel.ball.waitFor()
  })

  it('is moved by its button, which a drag does not press, and stays where it was put', async () => {
    await shell.enter()
    const start = await panel.rested(panel.ball)
    await panel.drag(panel.ball, -700, -300)
    const moved = await panel.rested(panel.ball)
    expect([moved.x - start.x, moved.y - start.y]).toEqual([-700, -300])
    expect(await panel.window.count()).toBe(0)
    expect(JSON.parse((await shell.local('aiButtonPosition'))!)).toEqual({ x: moved.x, y: moved.y })
    await page.reload()
    await panel.ball.waitFor()
    expect(await panel.rested(panel.ball)).toEqual(moved)
    // With the keyboard, in steps of 16, with Shift of 64.
    await panel.ball.focus()
    for (const key of ['ArrowLeft', 'ArrowUp', 'Shift+ArrowRight', 'Shift+ArrowDown']) await panel.ball.press(key)
    const stepped = await panel.rested(panel.ball)
    expect([stepped.x - moved.x, stepped.y - moved.y]).toEqual([48, 48])
    // Never off the screen, and back where it was when there is room again.
    await panel.drag(panel.ball, 3000, 3000)
    expect(await panel.rested(panel.ball)).toMatchObject({ x: SIZE.width - 48 - 8, y: SIZE.height - 48 - 8 })
    await page.setViewportSize({ width: 1200, height: 600 })
    await expect.poll(async () => (await panel.ball.boundingBox())!.x).toBe(1200 - 48 - 8)
    expect((await panel.ball.boundingBox())!.y).toBe(600 - 48 - 8)
    await page.setViewportSize(SIZE)
    await expect.poll(async () => (await panel.ball.boundingBox())!.x).toBe(SIZE.width - 48 - 8)
    await panel.ball.press('Enter')
    await panel.window.waitFor()
  })

  it('floats, is docked to the nearer corner, fills the screen, and begins anew when it was closed', async () => {
    await shell.enter()
    expect((await shell.box('side-menu')).width).toBe(260)
    await panel.open()
    const first = await panel.rested(panel.window)
    expect(first.width).toBe(460)
    expect(await panel.window.getAttribute('data-mode')).toBe('floating')
    for (const [name, label] of [
      ['new-chat', words.header.newChat],
      ['history-button', words.header.history],
      ['dock', words.header.dock],
      ['full', words.header.full],
      ['close', words.header.close],
    ] as const) {
      expect(await panel.tip(panel.part(name))).toBe(label)
      expect(await panel.part(name).getAttribute('aria-label')).toBe(label)
    }
    await panel.drag(panel.part('header'), -200, 20)
    const dragged = await panel.rested(panel.window)
    expect([dragged.x - first.x, dragged.y - first.y]).toEqual([-200, 20])
    // The middle of the window is still right of the middle of the screen.
    expect(dragged.x + 230).toBeGreaterThan(720)
    await panel.part('dock').click()
    expect(await panel.rested(panel.window)).toMatchObject({ x: 1440 - 460, width: 460 })
    const docked = await panel.rested(panel.window)
    expect(docked.y + docked.height).toBe(900)
    expect(await panel.tip(panel.part('float'))).toBe(words.header.float)
    // Docked, the header moves nothing.
    await panel.drag(panel.part('header'), -300, -50)
    expect(await panel.rested(panel.window)).toEqual(docked)
    await panel.part('float').click()
    expect(await panel.rested(panel.window)).toEqual(dragged)
    // One pixel over the middle: the other corner.
    await panel.drag(panel.part('header'), 720 - (dragged.x + 230) - 1, 0)
    await panel.part('dock').click()
    expect(await panel.rested(panel.window)).toMatchObject({ x: 0, width: 460 })

    await panel.part('full').click()
    expect(await panel.rested(panel.window)).toEqual({ x: 0, y: 0, ...SIZE })
    expect(await panel.rested(panel.part('sidebar'))).toMatchObject({ x: 0, y: 0, width: 300, height: 900 })
    expect(await panel.tip(panel.part('exit-full'))).toBe(words.header.exitFull)
    // Exit full screen leads back to the corner, closing to a floating window.
    await panel.part('exit-full').click()
    expect(await panel.rested(panel.window)).toMatchObject({ x: 0, width: 460 })
    await panel.part('full').click()
    await panel.part('close').click()
    await panel.window.waitFor({ state: 'detached' })
    await panel.open()
    expect(await panel.window.getAttribute('data-mode')).toBe('floating')
    expect(await panel.rested(panel.window)).toEqual(first)
  })

  it('opens and closes by keyboard, keeps the focus only over the whole screen and gives it back', async () => {
    await shell.enter()
    await shell.open('/manage/device')
    const search = page.getByTestId('open-search')
    await search.focus()
    await page.keyboard.press('Control+/')
    await expect.poll(() => panel.input.evaluate(e => e === document.activeElement).catch(() => false)).toBe(true)
    await page.keyboard.press('Escape')
    await panel.window.waitFor({ state: 'detached' })
    await expect.poll(() => search.evaluate(e => e === document.activeElement)).toBe(true)
    await panel.open()
    // The history closes first, then the window.
    await panel.part('history-button').click()
    await panel.part('history-search').focus()
    await page.keyboard.press('Escape')
    await panel.part('history-popup').waitFor({ state: 'detached' })
    expect(await panel.window.count()).toBe(1)
    await panel.part('full').click()
    const inside = () => panel.window.evaluate(window => window.contains(document.activeElement))
    for (let i = 0; i < 30; i++) {
      await page.keyboard.press('Tab')
      expect(await inside()).toBe(true)
    }
    await page.keyboard.press('Escape')
    await panel.window.waitFor({ state: 'detached' })
    await expect.poll(() => panel.ball.evaluate(e => e === document.activeElement)).toBe(true)
  })

  it('takes questions of 2 to 8 rows by Enter, not while an input method composes, and none of spaces alone', async () => {
    await shell.enter()
    await panel.open()
    expect(await panel.send.isDisabled()).toBe(true)
    const rows = () =>
      panel.input.evaluate(field => {
        const style = getComputedStyle(field)
        const padding = Number.parseFloat(style.paddingTop) + Number.parseFloat(style.paddingBottom)
        return (field.clientHeight - padding) / Number.parseFloat(style.lineHeight)
      })
    expect(await rows()).toBe(2)
    await panel.input.focus()
    for (const [lines, shown] of [
      [2, 2],
      [3, 3],
      [8, 8],
      [12, 8],
    ] as const) {
      await panel.input.fill('a')
      for (let i = 1; i < lines; i++) {
        await panel.input.press('Shift+Enter')
        await page.keyboard.type('a')
      }
      expect(await panel.input.inputValue()).toBe(Array(lines).fill('a').join('\n'))
      expect(await rows()).toBe(shown)
    }
    await panel.input.fill('  \n ')
    expect(await panel.send.isDisabled()).toBe(false)
    await panel.send.click()
    await shell.hasNotice(words.blank)
    await panel.input.fill('nihao')
    await panel.input.evaluate(field => {
      field.dispatchEvent(
        new KeyboardEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true, cancelable: true }),
      )
      field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', keyCode: 229, bubbles: true, cancelable: true }))
    })
    await panel.input.fill('x'.repeat(4001))
    await panel.input.press('Enter')
    await shell.hasNotice(words.tooLong.replace('{{max}}', '4000'))
    expect(await panel.part('question').count()).toBe(0)
    expect(requests.filter(request => request.includes('chat'))).toEqual([])
    // A new chat is refused where there is nothing yet.
    await panel.part('new-chat').click()
    await shell.hasNotice(words.newest)
  })

  it('goes through the states of a reply and blocks new chat and history meanwhile', async () => {
    await shell.enter()
    await panel.open()
    const scripted = proxy.script()
    expect(await panel.part('starter').allInnerTexts()).toEqual(expect.arrayContaining([...words.starters.always]))
    await panel.part('starter').first().click()
    const reply = await scripted
    const shown = panel.part('reply').first()
    await expect.poll(() => shown.getAttribute('data-state')).toBe('1')
    expect(await panel.part('question').innerText()).toContain(words.starters.always[0])
    await shown.getByText(words.answering).waitFor()
    expect(await panel.part('dot').evaluate(dot => getComputedStyle(dot).animationName)).not.toBe('none')
    for (const name of ['new-chat', 'history-button']) {
      expect(await panel.tip(panel.part(name))).toBe(words.tip.asking)
      await panel.refused(panel.part(name))
      await shell.hasNotice(words.tip.asking)
    }
    expect(await panel.part('history-popup').count()).toBe(0)
    reply.text('温度 **23')
    await shown.getByText('23').waitFor()
    reply.text('.5**')
    reply.end()
    await panel.finished()
    await shown.getByText(words.answered).waitFor()
    await expect.poll(() => shown.innerText()).toContain('温度 23.5')
    expect(await panel.part('dot').count()).toBe(0)
    await panel.part('history-button').click()
    await panel.part('history-popup').waitFor()
  })

  it('is answered by the server itself, after a cut too', async () => {
    await shell.enter()
    await panel.open()
    await panel.ask(words.starters.always[0]!)
    /** The text without the label, once it is drawn as what it means. */
    const drawn = async () => {
      const reply = await panel.finished(0)
      await expect.poll(() => reply.innerText()).not.toContain('**')
      return (await reply.innerText()).split('\n').slice(3).join('\n')
    }
    const whole = await drawn()
    expect(whole.length).toBeGreaterThan(80)
    await panel.part('new-chat').click()
    const before = proxy.questions.length
    proxy.cutNext()
    await panel.ask(words.starters.always[0]!)
    expect(await drawn()).toBe(whole)
    expect(proxy.questions).toHaveLength(before + 2)
    expect(proxy.questions.at(-1)!.headers['last-event-id']).toMatch(/^[0-9a-f-]{36}:\d+$/)
  })

  it('appends what went wrong to the reply', async () => {
    await shell.enter()
    await panel.open()
    proxy.refuse(429, { code: 'rate.limited', message: 'Later' })
    await panel.ask('a')
    const code = words.error.code.replace('{{code}}', '429')
    await expect.poll(async () => (await panel.finished(0)).innerText()).toContain(code)
    const broken = proxy.script()
    await panel.ask('b')
    const failing = await broken
    failing.text('half')
    failing.event(['error', { data: '', code: 'x.y', message: 'out of order' }])
    failing.end()
    const message = words.error.message.replace('{{message}}', 'out of order')
    await expect.poll(async () => (await panel.finished(1)).innerText()).toContain(message)
    expect(await (await panel.finished(1)).innerText()).toContain('half')
    // Cut, and cut again when it was asked for once more.
    const [one, two] = [proxy.script('r'), proxy.script('r')]
    await panel.ask('c')
    ;(await one).text('begun')
    await panel.part('reply').nth(2).getByText('begun').waitFor()
    ;(await one).cut()
    ;(await two).cut()
    const cut = words.error.message.replace('{{message}}', words.error.cut)
    await expect.poll(async () => (await panel.finished(2)).innerText()).toContain(cut)
    // Nothing was asked a second time.
    expect(proxy.questions.filter(({ query }) => query.input === 'a')).toHaveLength(1)
  })

  it('is stopped: here at once, and the server is told', async () => {
    await shell.enter()
    await panel.open()
    const scripted = proxy.script('019aa7b2-1c2d-7e3f-8a4b-5c6d7e8f9a0b')
    await panel.ask('a')
    const reply = await scripted
    reply.text('half of it')
    await panel.part('reply').getByText('half of it').waitFor()
    await panel.part('stop').click()
    expect(await (await panel.finished()).innerText()).toContain('half of it')
    await expect.poll(() => reply.closed, { timeout: 1000 }).toBe(true)
    expect(requests).toContain('POST /api/v1/assistant/replies/019aa7b2-1c2d-7e3f-8a4b-5c6d7e8f9a0b/stop')
    await panel.send.waitFor()
  })

  it('follows the text within 60 px of its end and is at the bottom 50 ms after sending', async () => {
    await shell.enter()
    await panel.open()
    const line = 'lorem ipsum dolor sit amet\n\n'
    const scripted = proxy.script()
    await panel.ask('a')
    const reply = await scripted
    reply.text(line.repeat(40))
    await expect.poll(() => panel.conversation.evaluate(box => box.scrollHeight > 2 * box.clientHeight)).toBe(true)
    await expect.poll(() => panel.below()).toBe(0)
    const height = () => panel.conversation.evaluate(box => box.scrollHeight)
    const grown = async (above: number) => {
      // What still grows takes whoever is near along: until nothing does.
      await expect.poll(() => panel.scrollTo(above)).toBe(above)
      const before = await height()
      reply.text(line.repeat(3))
      await expect.poll(height).toBeGreaterThan(before)
      return panel.below()
    }
    await grown(60)
    await expect.poll(() => panel.below()).toBe(0)
    await grown(61)
    expect(await panel.below()).toBeGreaterThan(61)
    await panel.part('to-bottom').click()
    await expect.poll(() => panel.below()).toBe(0)
    // Many lines at once, faster than anything is drawn.
    for (let i = 0; i < 40; i++) reply.text(line.repeat(10))
    reply.text('the end of it')
    reply.end()
    await panel.finished()
    await panel.part('reply').getByText('the end of it').waitFor()
    await expect.poll(() => panel.below()).toBe(0)
    expect(await panel.part('to-bottom').count()).toBe(0)

    // Far above the end, the next question leads down, 50 ms after it was sent.
    await panel.conversation.evaluate(box => {
      box.scrollTop = 0
    })
    await panel.input.fill('b')
    const next = proxy.script()
    const ms = await panel.input.evaluate(
      field =>
        new Promise<number>(resolve => {
          const box = document.querySelector('[data-testid=ai-conversation]')!
          const own = Object.getOwnPropertyDescriptor(Element.prototype, 'scrollTop')!
          const from = performance.now()
          Object.defineProperty(box, 'scrollTop', {
            configurable: true,
            get: () => own.get!.call(box),
            set(value: number) {
              own.set!.call(box, value)
              if (value > 0) resolve(performance.now() - from)
            },
          })
          field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }))
        }),
    )
    expect(ms).toBeGreaterThanOrEqual(49)
    expect(ms).toBeLessThan(250)
    await expect.poll(() => panel.below()).toBe(0)
    ;(await next).end()
    await panel.finished(1)
  })

  it('says on the button when a reply ended while the window was closed', async () => {
    await shell.enter()
    await panel.open()
    const scripted = proxy.script()
    await panel.ask('a')
    const reply = await scripted
    await panel.part('close').click()
    await panel.ball.waitFor()
    reply.text('here it is')
    reply.end()
    await page.getByTestId('ai-unread').waitFor()
    await panel.open()
    await panel.part('reply').getByText('here it is').waitFor()
    expect(await page.getByTestId('ai-unread').count()).toBe(0)
  })

  it('tells with a question which device the page shows, only when that is asked for', async () => {
    await shell.enter()
    await shell.open(`/manage/device/DeviceSet/DeviceCenter?id=${furniture.deviceId}`)
    await panel.open()
    expect(await panel.part('starter').allInnerTexts()).toEqual([
      ...words.starters.always,
      ...words.starters.pages.device,
    ])
    const asked = async (question: string, n: number) => {
      const scripted = proxy.script()
      await panel.ask(question)
      const reply = await scripted
      reply.text('ok')
      reply.end()
      await panel.finished(n)
      return proxy.questions.at(-1)!.query
    }
    expect(await asked('a', 0)).not.toHaveProperty('deviceId')
    const chip = panel.part('context')
    expect(await chip.innerText()).toBe(words.context.device)
    await chip.click()
    expect(await asked('b', 1)).toMatchObject({ input: 'b', deviceId: furniture.deviceId })
    await panel.part('question').nth(1).getByText(words.context.attachedDevice).waitFor()
    await chip.click()
    const after = await asked('c', 2)
    expect(after).not.toHaveProperty('deviceId')
    // A page that shows a product offers the product.
    await shell.open(`/manage/product/ProductSet/ProductSetInfo?id=${furniture.productId}`)
    await panel.open()
    expect(await panel.part('context').innerText()).toBe(words.context.product)
    await panel.part('context').click()
    expect(await asked('d', 0)).toMatchObject({ productId: furniture.productId })
  })

  it('lets a reply be copied, rated and asked for again', async () => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await shell.enter()
    await panel.open()
    await panel.ask(words.starters.always[0]!)
    await panel.finished()
    await panel.part('copy').click()
    await shell.hasNotice(words.actions.copied)
    expect((await page.evaluate(() => navigator.clipboard.readText())).length).toBeGreaterThan(40)
    const up = panel.part('rate-up')
    const rated = page.waitForResponse(response => response.url().endsWith('/rating'))
    await up.click()
    expect((await rated).status()).toBe(200)
    await expect.poll(() => up.getAttribute('aria-pressed')).toBe('true')
    const chatId = proxy.questions.at(-1)!.query.chatId
    await panel.part('again').click()
    await panel.finished(1)
    expect(proxy.questions.at(-1)!.query).toEqual({ input: words.starters.always[0], chatId })
  })

  it('is not there where the company switched it off', async () => {
    await shell.enter()
    await panel.ball.waitFor()
    const api = await apiClient(server.url)
    await api('PATCH', '/assistant/settings', { engine: 'off' })
    try {
      await page.reload()
      await page.getByTestId('side-menu').waitFor()
      await panel.ball.waitFor({ state: 'detached' })
    } finally {
      await api('PATCH', '/assistant/settings', { engine: 'builtin' })
    }
    await page.reload()
    await panel.ball.waitFor()
  })
})
