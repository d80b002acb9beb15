import { expect, it } from 'vitest'
import { storedTab } from './use-list-tab.ts'

const TABS = ['active', 'recycled']

it('the tab left on a page is found again on that page only', () => {
  expect(storedTab('/manage/device?tab=recycled', '/manage/device', TABS)).toBe('recycled')
  expect(storedTab('/manage/device?tab=recycled', '/manage/product', TABS)).toBeNull()
  expect(storedTab('/manage/device?tab=gone', '/manage/device', TABS)).toBeNull()
  expect(storedTab(null, '/manage/device', TABS)).toBeNull()
})
