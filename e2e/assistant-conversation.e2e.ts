import { describe, expect, it } from 'vitest'
import { assistantStage } from './fixtures/assistant-stage.ts'
import { WORDS } from './fixtures/assistant-words.ts'

// Questions and replies, with the states and times of the specification (§2 to §9).
describe.each(['zh', 'en'] as const)('a conversation with the assistant (%s)', locale => {
  const words = WORDS[locale]
  const stage = assistantStage(locale)

  it('goes through the states of a reply and blocks new chat and history meanwhile', async () => {
    const { proxy, shell, panel } = stage
    await shell.enterAt('/manage/product')
    await panel.open()
    const scripted = proxy.script()
    await expect
      .poll(() => panel.part('starter').allInnerTexts())
      .toEqual(expect.arrayContaining([...words.starters.always]))
    await panel.part('starter').first().click()
    const reply = await scripted
    const shown = panel.part('reply').first()
    await expect.poll(() => shown.getAttribute('data-state')).toBe('1')
    await panel.part('question').getByText(words.starters.always[0]!).waitFor()
    await shown.getByText(words.answering).waitFor()
    expect(await panel.part('dot').evaluate(dot => getComputedStyle(dot).animationName)).not.toBe('none')
    for (const name of ['new-chat', 'history-button']) {
      await panel.tip(panel.part(name), words.tip.asking)
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
    await panel.part('dot').waitFor({ state: 'detached' })
    await panel.part('history-button').click()
    await panel.part('history-popup').waitFor()
  })

  it('is answered by the server itself, after a cut too', async () => {
    const { proxy, shell, panel } = stage
    await shell.enterAt('/manage/product')
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
    const held = proxy.holdNext()
    await panel.ask(words.starters.always[0]!)
    const cut = await held
    // The page knows the reply by its name once it has read its first event.
    await expect.poll(() => panel.stored('"replyId"', '"state":1')).toBe(true)
    cut()
    expect(await drawn()).toBe(whole)
    expect(proxy.questions).toHaveLength(before + 2)
    expect(proxy.questions.at(-1)!.headers['last-event-id']).toMatch(/^[0-9a-f-]{36}:\d+$/)
  })

  it('appends what went wrong to the reply', async () => {
    const { proxy, shell, panel } = stage
    await shell.enterAt('/manage/product')
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
    const { proxy, shell, panel, requests } = stage
    await shell.enterAt('/manage/product')
    await panel.open()
    const scripted = proxy.script('019aa7b2-1c2d-7e3f-8a4b-5c6d7e8f9a0b')
    await panel.ask('a')
    const reply = await scripted
    reply.text('half of it')
    await panel.part('reply').getByText('half of it').waitFor()
    await panel.part('stop').click()
    expect(await (await panel.finished()).innerText()).toContain('half of it')
    await expect.poll(() => reply.closed).toBe(true)
    await expect
      .poll(() => requests)
      .toContain('POST /api/v1/assistant/replies/019aa7b2-1c2d-7e3f-8a4b-5c6d7e8f9a0b/stop')
    await panel.send.waitFor()
  })

  it('follows the text within 60 px of its end and is at the bottom 50 ms after sending', async () => {
    const { proxy, shell, panel } = stage
    await shell.enterAt('/manage/product')
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
    }
    await grown(60)
    await expect.poll(() => panel.below()).toBe(0)
    await grown(61)
    // Whether he is taken along is settled in the frame in which it has grown.
    await panel.frames()
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
    await panel.part('to-bottom').waitFor({ state: 'detached' })
    // Over the whole screen the text is shorter: who stood at its end stands there still.
    await panel.part('full').click()
    await panel.rested(panel.window)
    await expect.poll(() => panel.below()).toBe(0)
    await panel.part('to-bottom').waitFor({ state: 'detached' })
    await panel.part('exit-full').click()
    await expect.poll(() => panel.below()).toBe(0)

    // Far above the end, the next question leads down, 50 ms after it was sent.
    await panel.conversation.evaluate(box => {
      box.scrollTop = 0
    })
    await panel.part('to-bottom').waitFor()
    await panel.input.fill('b')
    const next = proxy.script()
    // Of the timer that leads down: when it really runs depends on the machine.
    const ms = await panel.input.evaluate(
      field =>
        new Promise<number | null>(resolve => {
          const box = document.querySelector('[data-testid=ai-conversation]')!
          const own = Object.getOwnPropertyDescriptor(Element.prototype, 'scrollTop')!
          const setTimer = window.setTimeout
          let waited: number | null = null
          window.setTimeout = ((work: () => void, after?: number) =>
            setTimer(() => {
              waited = after ?? 0
              work()
              waited = null
            }, after)) as typeof window.setTimeout
          Object.defineProperty(box, 'scrollTop', {
            configurable: true,
            get: () => own.get!.call(box),
            set(value: number) {
              own.set!.call(box, value)
              if (value === 0) return
              window.setTimeout = setTimer
              resolve(waited)
            },
          })
          field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }))
        }),
    )
    expect(ms).toBe(50)
    await expect.poll(() => panel.below()).toBe(0)
    ;(await next).end()
    await panel.finished(1)
  })

  it('says on the button when a reply ended while the window was closed', async () => {
    const { proxy, page, shell, panel } = stage
    await shell.enterAt('/manage/product')
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
    await page.getByTestId('ai-unread').waitFor({ state: 'detached' })
  })

  it('tells with a question which device the page shows, only when that is asked for', async () => {
    const { proxy, furniture, shell, panel } = stage
    await shell.enterAt(`/manage/device/DeviceSet/DeviceCenter?id=${furniture.deviceId}`)
    await panel.open()
    await expect
      .poll(() => panel.part('starter').allInnerTexts())
      .toEqual([...words.starters.always, ...words.starters.pages.device])
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
    await expect.poll(() => chip.innerText()).toBe(words.context.device)
    await chip.click()
    expect(await asked('b', 1)).toMatchObject({ input: 'b', deviceId: furniture.deviceId })
    await panel.part('question').nth(1).getByText(words.context.attachedDevice).waitFor()
    await chip.click()
    const after = await asked('c', 2)
    expect(after).not.toHaveProperty('deviceId')
    // A page that shows a product offers the product.
    await shell.open(`/manage/product/ProductSet/ProductSetInfo?id=${furniture.productId}`)
    await panel.open()
    await expect.poll(() => panel.part('context').innerText()).toBe(words.context.product)
    await panel.part('context').click()
    expect(await asked('d', 0)).toMatchObject({ productId: furniture.productId })
  })

  it('lets a reply be copied, rated and asked for again', async () => {
    const { proxy, context, page, shell, panel } = stage
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await shell.enterAt('/manage/product')
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
})
