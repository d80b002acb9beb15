import type { MenuItem } from '@thingwright/contracts/identity.contract'
import { describe, expect, it } from 'vitest'
import { findPages, pagesOf } from './page-search.ts'

const item = (name: string, ename: string, path: string, children: MenuItem[] = [], jump = 0): MenuItem => ({
  id: name,
  name,
  ename,
  icon: '',
  path,
  sort: 1,
  idPath: '',
  jump,
  order: 0,
  children,
})

const pages = pagesOf([
  item('管理', 'Management', '', [
    item('产品管理', 'Products', '/manage/product'),
    item('设备管理', 'Devices', '/manage/device'),
    item('外部', 'Elsewhere', 'https://example.com', [], 1),
  ]),
  item('系统', 'System', '', [item('操作日志', 'Operation log', '/admin/action')]),
])
const found = (query: string) => findPages(pages, query).map(({ path }) => path)

describe('pages by name', () => {
  it('are found in both languages, whatever the case and width of the letters', () => {
    expect(found('设备')).toEqual(['/manage/device'])
    expect(found('DEVI')).toEqual(['/manage/device'])
    expect(found('ｌｏｇ')).toEqual(['/admin/action'])
  })

  it('come with the best match first: beginnings before middles before groups', () => {
    expect(found('管理')).toEqual(['/manage/product', '/manage/device'])
    expect(found('management')).toEqual(['/manage/product', '/manage/device'])
    expect(found('operation')).toEqual(['/admin/action'])
  })

  it('are none for blanks and for what is not there; other sites are no pages', () => {
    expect(found('  ')).toEqual([])
    expect(found('\u0000(*')).toEqual([])
    expect(found('elsewhere')).toEqual([])
  })
})
