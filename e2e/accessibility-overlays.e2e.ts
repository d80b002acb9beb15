import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { violations } from './fixtures/axe.ts'
import { builtPages } from './fixtures/furnished.ts'
import { PageTour } from './fixtures/page-tour.ts'
import { settled } from './fixtures/settled.ts'
import { sharedServer } from './fixtures/shared-server.ts'

/** Each language in one of the two appearances. */
const LOOKS = [
  { locale: 'zh', appearance: 'light' },
  { locale: 'en', appearance: 'dark' },
] as const

// What opens over a page, in both languages.
describe('accessibility of what opens over a page', () => {
  let tour: PageTour
  beforeAll(async () => {
    tour = await PageTour.begin(await sharedServer())
  })
  afterAll(() => tour?.end())

  it.each(LOOKS)('$locale $appearance: has no serious violation', async look => {
    const { locale } = look
    const list = builtPages.find(route => route.path === '/manage/device')!
    const page = await tour.open(list, look)
    const tools = locale === 'zh' ? ['已存视图', '列设置', '导出'] : ['Saved views', 'Columns', 'Export']
    for (const name of tools) {
      // Some of the columns may be told to have no room.
      await page.getByRole('button', { name: new RegExp(`^${name}(?! ?\\w)`) }).click()
      await page.locator('[data-popup]').waitFor()
      await settled(page)
      expect(await violations(page), name).toEqual([])
      await page.keyboard.press('Escape')
      await page.locator('[data-popup]').waitFor({ state: 'detached' })
    }
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: locale === 'zh' ? '全局搜索' : 'Search everywhere' }).fill('泵')
    await page.getByRole('option').nth(3).waitFor()
    expect(await violations(page), 'search').toEqual([])
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await page.keyboard.press('?')
    await page.getByRole('dialog').waitFor()
    expect(await violations(page), 'keys').toEqual([])
    await page.keyboard.press('Escape')
    await page.getByTestId('bell').click()
    await page.getByRole('dialog').waitFor()
    await settled(page)
    expect(await violations(page), 'inbox').toEqual([])
  })
})
