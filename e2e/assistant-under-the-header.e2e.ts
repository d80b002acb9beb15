import type { Locator } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { assistantStage, SIZE } from './fixtures/assistant-stage.ts'
import { apiClient } from './fixtures/console.ts'
import type { ServerUnderTest } from './fixtures/server.ts'

// The header's menus and dialogs, and the lists of the page, stay usable with the assistant on the screen.
describe('the assistant and what the page opens', () => {
  const stage = assistantStage('en')

  /** What the header opens, by the name of what has to be pressed. */
  const opened: Record<string, { press: () => Locator; surface: () => Locator }> = {
    'task centre': {
      press: () => stage.page.getByTestId('task-centre'),
      surface: () => stage.page.getByTestId('task-drawer'),
    },
    bell: {
      press: () => stage.page.getByTestId('bell'),
      surface: () => stage.page.locator('.ant-drawer-content-wrapper'),
    },
    help: {
      press: () => stage.page.getByRole('button', { name: 'Help' }),
      surface: () => stage.page.getByRole('menu'),
    },
    account: {
      press: () => stage.page.getByTestId('header').getByRole('button').last(),
      surface: () => stage.page.getByRole('menu'),
    },
    search: {
      press: () => stage.page.getByTestId('open-search'),
      surface: () => stage.page.getByRole('dialog').filter({ has: stage.page.getByRole('combobox') }),
    },
  }

  /** What is seen in the middle of where two things overlap: the upper one. */
  async function upperOf(surface: Locator, below: Locator): Promise<'surface' | 'below' | 'another'> {
    const { panel, page } = stage
    const [a, b] = [await panel.rested(surface), await panel.rested(below)]
    const left = Math.max(a.x, b.x)
    const top = Math.max(a.y, b.y)
    const right = Math.min(a.x + a.width, b.x + b.width)
    const bottom = Math.min(a.y + a.height, b.y + b.height)
    expect(Math.min(right - left, bottom - top), 'they overlap').toBeGreaterThan(4)
    const seen = await page.evaluateHandle(
      ([x, y]) => document.elementFromPoint(x!, y!),
      [(left + right) / 2, (top + bottom) / 2],
    )
    if (await surface.evaluate((box, element) => box.contains(element as Node), seen)) return 'surface'
    return (await below.evaluate((box, element) => box.contains(element as Node), seen)) ? 'below' : 'another'
  }

  it.each(Object.keys(opened))('lies under what %s opens, its ball and its window', async name => {
    const { page, panel, shell } = stage
    const { press, surface } = opened[name]!
    await shell.enterAt('/manage/device')
    await press().waitFor()
    await panel.ball.waitFor()
    await press().click()
    await surface().waitFor()
    const box = await panel.rested(surface())
    await page.keyboard.press('Escape')
    await surface().waitFor({ state: 'detached' })
    // The ball where the surface will be, then the window.
    const at = { x: Math.round(box.x + box.width / 2 - 24), y: Math.round(box.y + Math.min(box.height / 2, 200) - 24) }
    await page.evaluate(place => localStorage.setItem('aiButtonPosition', JSON.stringify(place)), at)
    await page.reload()
    await panel.ball.waitFor()
    await press().click()
    await surface().waitFor()
    expect(await upperOf(surface(), panel.ball)).toBe('surface')
    await page.keyboard.press('Escape')
    await surface().waitFor({ state: 'detached' })
    await panel.open()
    const window_ = await panel.rested(panel.window)
    await panel.drag(
      panel.part('header'),
      Math.min(SIZE.width - 468, box.x + box.width / 2 - 230) - window_.x,
      66 - window_.y,
    )
    await press().click()
    await surface().waitFor()
    expect(await upperOf(surface(), panel.window)).toBe('surface')
  })

  it('covers nothing that can be pressed in a full list, and goes back where there is room', async () => {
    await fill(stage.server, stage.furniture.productId)
    for (const width of [1100, 1920]) {
      await stage.visit({ width, height: 900, moving: false })
      const { page, panel, shell } = stage
      await shell.enterAt('/manage/device')
      await page.locator('tr[data-row]').nth(19).waitFor()
      const covered = () =>
        panel.ball.evaluate(ball => {
          const { x, y, width: size } = ball.getBoundingClientRect()
          const found = new Set<string>()
          for (let dx = 2; dx < size; dx += 4)
            for (let dy = 2; dy < size; dy += 4) {
              if (Math.hypot(dx - size / 2, dy - size / 2) > size / 2 - 2) continue
              const below = document.elementsFromPoint(x + dx, y + dy).find(each => !ball.contains(each))
              const pressed = below?.closest('a[href], button, input, select')
              if (pressed) found.add(pressed.textContent || pressed.tagName)
            }
          return [...found]
        })
      await expect.poll(covered, { message: `${width}` }).toEqual([])
      await panel.rested(panel.ball)
      expect(await covered()).toEqual([])
      // Fewer rows: its first place is free again.
      await page.getByRole('search').getByRole('textbox').or(page.getByRole('searchbox')).first().fill('Room 7')
      const home = { x: width - 48 - 20, y: 900 - 48 - 88 }
      await expect.poll(() => panel.rested(panel.ball)).toMatchObject(home)
    }
  })
})

/** More devices than a page of their list holds. */
async function fill(server: ServerUnderTest, productId: string): Promise<void> {
  const api = await apiClient(server.url)
  for (let i = 0; i < 24; i++) await api('POST', '/devices', { name: `Room ${i}`, productId })
}
