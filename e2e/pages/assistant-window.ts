import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'

/** The assistant's button and window, in the words of the journeys. */
export class AssistantWindow {
  readonly ball: Locator
  readonly window: Locator
  readonly input: Locator
  readonly send: Locator
  readonly conversation: Locator

  constructor(readonly page: Page) {
    this.ball = page.getByTestId('ai-ball')
    this.window = page.getByTestId('ai-window')
    this.input = page.getByTestId('ai-input')
    this.send = page.getByTestId('ai-send')
    this.conversation = page.getByTestId('ai-conversation')
  }

  part(name: string): Locator {
    return this.window.getByTestId(`ai-${name}`)
  }

  async open(): Promise<void> {
    await this.ball.click()
    await this.window.waitFor()
    await this.rested(this.window)
  }

  async ask(question: string): Promise<void> {
    await this.input.fill(question)
    await this.input.press('Enter')
  }

  /** The n-th reply, its end waited for. */
  async finished(n = 0): Promise<Locator> {
    const reply = this.part('reply').nth(n)
    await expect.poll(() => reply.getAttribute('data-state').catch(() => null)).toBe('2')
    return reply
  }

  /** Where a part stands once it moves no more. */
  async rested(part: Locator): Promise<{ x: number; y: number; width: number; height: number }> {
    // One that is broken off by the next has ended as well, and the next is waited for. What antd opens lies outside
    // the page for a frame or two before it starts to move: its classes tell. What it lies in may move as well.
    await expect
      .poll(() =>
        part.evaluate(element => {
          for (let at: Element | null = element; at; at = at.parentElement)
            if (
              at.getAnimations().some(({ playState }) => playState === 'running') ||
              /-(?:appear|enter|leave)(?:-|\s|$)/.test(at.getAttribute('class') ?? '')
            )
              return true
          return false
        }),
      )
      .toBe(false)
    const box = await part.boundingBox()
    expect(box).not.toBeNull()
    return box!
  }

  /** Takes a thing and moves it by so many pixels. */
  async drag(part: Locator, dx: number, dy: number): Promise<void> {
    const box = await this.rested(part)
    const from = { x: box.x + Math.min(20, box.width / 2), y: box.y + box.height / 2 }
    await this.page.mouse.move(from.x, from.y)
    await this.page.mouse.down()
    await this.page.mouse.move(from.x + dx / 2, from.y + dy / 2, { steps: 4 })
    await this.page.mouse.move(from.x + dx, from.y + dy, { steps: 4 })
    await this.page.mouse.up()
  }

  /** Presses a button that is not to be used just now. */
  async refused(button: Locator): Promise<void> {
    await expect.poll(() => button.getAttribute('aria-disabled')).toBe('true')
    await button.click({ force: true })
  }

  /** Waits until a button says so when it is looked at. */
  async tip(part: Locator, words: string): Promise<void> {
    await expect
      .poll(() => part.evaluate(element => getComputedStyle(element, '::after').content.replace(/^"|"$/g, '')))
      .toBe(words)
  }

  /** Pixels between what is seen of the conversation and its end. */
  below(): Promise<number> {
    return this.conversation.evaluate(box => Math.round(box.scrollHeight - box.scrollTop - box.clientHeight))
  }

  /** Waits until two more frames have been drawn. */
  async frames(): Promise<void> {
    await this.page.evaluate(async () => {
      for (let i = 0; i < 2; i++) await new Promise(resolve => requestAnimationFrame(resolve))
    })
  }

  /** Scrolls so many pixels above the end. @returns where it stands two frames later, pixels above the end */
  scrollTo(above: number): Promise<number> {
    return this.conversation.evaluate(async (box, px) => {
      box.scrollTop = box.scrollHeight - box.clientHeight - px
      for (let i = 0; i < 2; i++) await new Promise(resolve => requestAnimationFrame(resolve))
      return Math.round(box.scrollHeight - box.scrollTop - box.clientHeight)
    }, above)
  }

  /** Whether the history of the signed-in person holds a message with all of the texts. */
  stored(...texts: string[]): Promise<boolean> {
    return this.page.evaluate(
      wanted =>
        new Promise<boolean>((resolve, reject) => {
          const { id } = JSON.parse(localStorage.getItem('userToken')!) as { id: string }
          const opening = indexedDB.open(`thingwright-assistant-${id}`)
          opening.onerror = () => reject(opening.error)
          opening.onsuccess = () => {
            const all = opening.result.transaction(id).objectStore(id).getAll()
            all.onsuccess = () => {
              opening.result.close()
              const messages = (all.result as { content: object[] }[]).flatMap(({ content }) => content)
              resolve(messages.some(message => wanted.every(text => JSON.stringify(message).includes(text))))
            }
          }
        }),
      texts,
    )
  }
}
