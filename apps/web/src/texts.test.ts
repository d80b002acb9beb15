import { readFileSync } from 'node:fs'
import { WEB_ROUTES } from '@thingwright/contracts/web-routes'
import { describe, expect, it } from 'vitest'
import { FRAMES, PAGES } from './app/page-table.ts'
import { TEXT_FILES } from './texts.ts'

type Tree = { [key: string]: string | Tree }

/** Every text by its full key. */
function flat(tree: Tree, above = ''): Map<string, string> {
  const found = new Map<string, string>()
  for (const [key, value] of Object.entries(tree)) {
    if (typeof value === 'string') found.set(above + key, value)
    else for (const [inner, text] of flat(value, `${above}${key}.`)) found.set(inner, text)
  }
  return found
}
const read = (file: string) => flat(JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8')) as Tree)
const parameters = (text: string) => [...text.matchAll(/\{\{\s*(\w+)/g)].map(found => found[1]).sort()
const chinese = Object.keys(TEXT_FILES).filter(file => file.endsWith('zh.json'))

describe('texts', () => {
  it('are found for the shell, the shared parts and the sign-in', () => {
    expect(chinese).toEqual(
      expect.arrayContaining([
        './app/locales/zh.json',
        './features/identity/locales/zh.json',
        './lib/locales/zh.json',
        './ui/locales/zh.json',
      ]),
    )
  })

  it.each(chinese)('%s has the same keys and parameters in English, none empty', file => {
    const zh = read(file)
    const en = read(file.replace('zh.json', 'en.json'))
    // English needs words for one and many where Chinese does not.
    const bare = (keys: Iterable<string>) => [...new Set([...keys].map(key => key.replace(/_(one|other)$/, '')))].sort()
    expect(bare(en.keys())).toEqual(bare(zh.keys()))
    for (const [key, text] of zh) {
      expect(text.trim(), key).not.toBe('')
      const other = en.get(key) ?? en.get(`${key}_other`) ?? en.get(key.replace(/_other$/, ''))
      expect(parameters(other ?? ''), `${file} ${key}`).toEqual(parameters(text))
    }
    for (const [key, text] of en) expect(text.trim(), key).not.toBe('')
  })

  it('holds the messages of the specification to the letter', () => {
    const shell = read('./app/locales/zh.json')
    expect(Object.fromEntries([...shell].filter(([key]) => key.startsWith('guard.')))).toEqual({
      'guard.notSignedIn': '您还未登录!',
      'guard.flagMissing': '路由关键参数缺失!请联系管理',
      'guard.notActivated': '账号未开通，请先开通!',
      'guard.expired': '账号已过期，请续费!',
      'guard.statusFailed': '校验账号状态失败，请重新登录!',
      'guard.noPermissionAtAll': '当前账号无任何权限!',
      'guard.sectionForbidden': '当前栏目无权访问',
      'guard.forbidden': '无权限访问',
    })
    expect(shell.get('title')).toBe('物匠云 · 企业物联网云平台')
    expect(read('./app/locales/en.json').get('title')).toBe('Thingwright · Enterprise IoT Cloud')
    expect(read('./lib/locales/zh.json').get('session.expired')).toBe('登录信息已过期, 请重新登录...')
  })
})

describe('pages', () => {
  const pages = WEB_ROUTES.filter(route => !route.redirectTo)

  it('exist for exactly the routes that are built', () => {
    expect(Object.keys(PAGES).sort()).toEqual(
      pages
        .filter(route => route.built)
        .map(route => route.path)
        .sort(),
    )
  })

  it('stand in frames only below addresses that exist', () => {
    for (const path of Object.keys(FRAMES))
      expect(WEB_ROUTES.some(route => route.path.startsWith(`${path}/`))).toBe(true)
  })

  it('are there for every address of the table', () => {
    expect(pages.filter(route => !route.built)).toEqual([])
  })
})
