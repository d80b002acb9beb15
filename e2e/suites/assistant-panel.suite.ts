import { describe, expect, it } from 'vitest'
import { assistantStage, SIZE } from '../fixtures/assistant-stage.ts'
import { WORDS } from '../fixtures/assistant-words.ts'
import { violations } from '../fixtures/axe.ts'
import { apiClient } from '../fixtures/console.ts'
import { settled } from '../fixtures/settled.ts'

/** The window of the assistant, with the pixels of the specification (§2 to §9). */
export function assistantPanel(locale: 'zh' | 'en'): void {
  describe(`the assistant (${locale})`, () => {
    const words = WORDS[locale]
    const stage = assistantStage(locale)

    it('asks a visitor to sign in, calls nothing and speaks of no expiry', async () => {
      const { proxy, page, shell, panel, requests } = stage
      await shell.open('/index')
      await panel.ball.waitFor()
      await expect.poll(() => panel.ball.innerText()).toBe('AI')
      await panel.open()
      await panel.part('sign-in-asked').getByText(words.signIn.title).waitFor()
      for (const name of ['new-chat', 'history-button']) {
        const button = panel.part(name)
        await expect.poll(() => button.getAttribute('aria-disabled')).toBe('true')
        await panel.tip(button, words.tip.signIn)
      }
      await panel.refused(panel.part('new-chat'))
      await shell.hasNotice(words.tip.signIn)
      await expect.poll(() => panel.part('starter').allInnerTexts()).toEqual(words.starters.always)
      await panel.ask('x')
      await shell.hasNotice(words.tip.signIn)
      expect(await panel.part('question').count()).toBe(0)
      expect(await panel.input.inputValue()).toBe('x')
      await panel.part('full').click()
      for (const name of ['new-chat', 'history-clear']) await panel.tip(panel.part(name), words.tip.signIn)
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
      await expect.poll(() => panel.input.inputValue()).toBe('x')
    })

    it('stands on pages that may have it, signed in or not', async () => {
      const { page, shell, panel } = stage
      for (const path of ['/alonePage/FunctionsAndCharges', '/alonePage/TermsService']) {
        await shell.open(path)
        await panel.ball.waitFor()
      }
      await shell.open('/nowhere/at-all')
      await page.getByTestId('header').waitFor()
      expect(await panel.ball.count()).toBe(0)
      await shell.enterAt('/manage/product')
      await panel.ball.waitFor()
    })

    it('is moved by its button, which a drag does not press, and stays where it was put', async () => {
      const { page, shell, panel } = stage
      await shell.enterAt('/manage/product')
      const start = await panel.rested(panel.ball)
      await panel.drag(panel.ball, -700, -300)
      const moved = { ...start, x: start.x - 700, y: start.y - 300 }
      await expect.poll(() => panel.rested(panel.ball)).toEqual(moved)
      await expect
        .poll(async () => JSON.parse((await shell.local('aiButtonPosition')) ?? 'null'))
        .toEqual({ x: moved.x, y: moved.y })
      expect(await panel.window.count()).toBe(0)
      await page.reload()
      await panel.ball.waitFor()
      await expect.poll(() => panel.rested(panel.ball)).toEqual(moved)
      // With the keyboard, in steps of 16, with Shift of 64.
      await panel.ball.focus()
      for (const key of ['ArrowLeft', 'ArrowUp', 'Shift+ArrowRight', 'Shift+ArrowDown']) await panel.ball.press(key)
      await expect.poll(() => panel.rested(panel.ball)).toMatchObject({ x: moved.x + 48, y: moved.y + 48 })
      // Never off the screen, and back where it was when there is room again.
      await panel.drag(panel.ball, 3000, 3000)
      const inCorner = { x: SIZE.width - 48 - 8, y: SIZE.height - 48 - 8 }
      await expect.poll(() => panel.rested(panel.ball)).toMatchObject(inCorner)
      await page.setViewportSize({ width: 1200, height: 600 })
      await expect.poll(() => panel.rested(panel.ball)).toMatchObject({ x: 1200 - 48 - 8, y: 600 - 48 - 8 })
      await page.setViewportSize(SIZE)
      await expect.poll(() => panel.rested(panel.ball)).toMatchObject(inCorner)
      await panel.ball.press('Enter')
      await panel.window.waitFor()
    })

    it('floats, is docked to the nearer corner, fills the screen, and begins anew when it was closed', async () => {
      const { shell, panel } = stage
      await shell.enterAt('/manage/product')
      await expect.poll(async () => (await shell.box('side-menu')).width).toBe(260)
      await panel.open()
      const first = await panel.rested(panel.window)
      expect(first.width).toBe(460)
      await expect.poll(() => panel.window.getAttribute('data-mode')).toBe('floating')
      for (const [name, label] of [
        ['new-chat', words.header.newChat],
        ['history-button', words.header.history],
        ['dock', words.header.dock],
        ['full', words.header.full],
        ['close', words.header.close],
      ] as const) {
        await panel.tip(panel.part(name), label)
        await expect.poll(() => panel.part(name).getAttribute('aria-label')).toBe(label)
      }
      await panel.drag(panel.part('header'), -200, 20)
      const dragged = { ...first, x: first.x - 200, y: first.y + 20 }
      await expect.poll(() => panel.rested(panel.window)).toEqual(dragged)
      // The middle of the window is still right of the middle of the screen.
      expect(dragged.x + 230).toBeGreaterThan(720)
      await panel.part('dock').click()
      await expect.poll(() => panel.rested(panel.window)).toMatchObject({ x: 1440 - 460, width: 460 })
      const docked = await panel.rested(panel.window)
      expect(docked.y + docked.height).toBe(900)
      await panel.tip(panel.part('float'), words.header.float)
      // Docked, the header moves nothing.
      await panel.drag(panel.part('header'), -300, -50)
      await expect.poll(() => panel.rested(panel.window)).toEqual(docked)
      await panel.part('float').click()
      await expect.poll(() => panel.rested(panel.window)).toEqual(dragged)
      // One pixel over the middle: the other corner.
      await panel.drag(panel.part('header'), 720 - (dragged.x + 230) - 1, 0)
      await panel.part('dock').click()
      await expect.poll(() => panel.rested(panel.window)).toMatchObject({ x: 0, width: 460 })

      await panel.part('full').click()
      await expect.poll(() => panel.rested(panel.window)).toEqual({ x: 0, y: 0, ...SIZE })
      const sidebar = panel.part('sidebar')
      await expect.poll(() => panel.rested(sidebar)).toMatchObject({ x: 0, y: 0, width: 300, height: 900 })
      await panel.tip(panel.part('exit-full'), words.header.exitFull)
      // Exit full screen leads back to the corner, closing to a floating window.
      await panel.part('exit-full').click()
      await expect.poll(() => panel.rested(panel.window)).toMatchObject({ x: 0, width: 460 })
      await panel.part('full').click()
      await panel.part('close').click()
      await panel.window.waitFor({ state: 'detached' })
      await panel.open()
      await expect.poll(() => panel.window.getAttribute('data-mode')).toBe('floating')
      await expect.poll(() => panel.rested(panel.window)).toEqual(first)
    })

    it('opens and closes by keyboard, keeps the focus only over the whole screen and gives it back', async () => {
      const { page, shell, panel } = stage
      await shell.enterAt('/manage/device')
      // The key is the button's: it is there with it.
      await panel.ball.waitFor()
      const search = page.getByTestId('open-search')
      await search.focus()
      // The first time the window is downloaded, the second time it is there.
      for (let times = 0; times < 2; times++) {
        await page.keyboard.press('Control+/')
        await expect.poll(() => panel.input.evaluate(e => e === document.activeElement).catch(() => false)).toBe(true)
        await page.keyboard.press('Escape')
        await panel.window.waitFor({ state: 'detached' })
        await expect.poll(() => search.evaluate(e => e === document.activeElement)).toBe(true)
      }
      await panel.open()
      // The history closes first, then the window.
      await panel.part('history-button').click()
      await panel.part('history-search').focus()
      await page.keyboard.press('Escape')
      await panel.part('history-popup').waitFor({ state: 'detached' })
      expect(await panel.window.count()).toBe(1)
      await panel.part('full').click()
      await panel.part('sidebar').waitFor()
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
      const { page, shell, panel, requests } = stage
      await shell.enterAt('/manage/product')
      await panel.open()
      await expect.poll(() => panel.send.isDisabled()).toBe(true)
      const rows = () =>
        panel.input.evaluate(field => {
          const style = getComputedStyle(field)
          const padding = Number.parseFloat(style.paddingTop) + Number.parseFloat(style.paddingBottom)
          return (field.clientHeight - padding) / Number.parseFloat(style.lineHeight)
        })
      await expect.poll(rows).toBe(2)
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
        await expect.poll(() => panel.input.inputValue()).toBe(Array(lines).fill('a').join('\n'))
        await expect.poll(rows).toBe(shown)
      }
      await panel.input.fill('  \n ')
      await expect.poll(() => panel.send.isDisabled()).toBe(false)
      await panel.send.click()
      await shell.hasNotice(words.blank)
      await panel.input.fill('nihao')
      await panel.input.evaluate(field => {
        field.dispatchEvent(
          new KeyboardEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true, cancelable: true }),
        )
        field.dispatchEvent(
          new KeyboardEvent('keydown', { key: 'Enter', keyCode: 229, bubbles: true, cancelable: true }),
        )
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

    it.each(['light', 'dark'] as const)('breaks no rule of accessibility, %s', async appearance => {
      await stage.visit({ appearance })
      const { page, panel, shell } = stage
      await shell.open('/index')
      await settled(page)
      await panel.open()
      expect(await violations(page)).toEqual([])
      await panel.part('close').click()
      await shell.signIn()
      await page.getByTestId('side-menu').waitFor()
      await settled(page)
      await panel.open()
      expect(await violations(page)).toEqual([])
      await panel.ask(words.starters.always[0]!)
      await panel.finished()
      expect(await violations(page)).toEqual([])
      await panel.part('history-button').click()
      await panel.part('chat').first().waitFor()
      await panel.part('history-clear').click()
      await panel.rested(panel.part('history-popup'))
      expect(await violations(page)).toEqual([])
      await panel.part('clear-no').click()
      await panel.part('full').click()
      await panel.rested(panel.window)
      expect(await violations(page)).toEqual([])
    })

    it('is not there where the company switched it off', async () => {
      const { server, page, shell, panel } = stage
      await shell.enterAt('/manage/product')
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
}
