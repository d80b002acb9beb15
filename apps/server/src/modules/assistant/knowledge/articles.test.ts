import { ERROR_STATUS } from '@thingwright/contracts/errors'
import { WEB_ROUTES } from '@thingwright/contracts/web-routes'
import { describe, expect, it } from 'vitest'
import { articles, parseArticle } from './articles.ts'

const LOCALES = ['zh', 'en'] as const
const pages = new Set(WEB_ROUTES.filter(route => route.built && !route.devOnly).map(route => route.path))

describe('articles', () => {
  it('are there in both languages, forty-five and more', async () => {
    const [zh, en] = await Promise.all(LOCALES.map(articles))
    expect(zh!.map(({ id }) => id)).toEqual(en!.map(({ id }) => id))
    expect(zh!.length).toBeGreaterThan(45)
    expect(new Set(zh!.map(({ title }) => title)).size).toBe(zh!.length)
    expect(en!.map(({ title }) => title).filter(title => /\p{Script=Han}/u.test(title))).toEqual([])
    expect(en!.filter(({ body }) => /\p{Script=Han}/u.test(body)).map(({ id }) => id)).toEqual([])
  })

  it.each(LOCALES)('link only to pages of the console that are there (%s)', async locale => {
    for (const { id, links, body } of await articles(locale)) {
      const named = [...links.map(({ to }) => to), ...[...body.matchAll(/\]\(([^)]*)\)/g)].map(([, to]) => to!)]
      expect(
        named.filter(to => !pages.has(to)),
        id,
      ).toEqual([])
      expect(links.length, id).toBeGreaterThan(0)
    }
  })

  it.each(LOCALES)('name only errors that exist (%s)', async locale => {
    const areas = new Set(Object.keys(ERROR_STATUS).map(code => code.split('.')[0]))
    const files = /\.(json|md|js|c|py)$/
    for (const { id, body } of await articles(locale)) {
      const codes = [...body.matchAll(/`([a-z_]+\.[a-z_]+)`/g)].map(([, code]) => code!)
      const unknown = codes.filter(
        code => areas.has(code.split('.')[0]) && !files.test(code) && !Object.hasOwn(ERROR_STATUS, code),
      )
      expect(unknown, id).toEqual([])
    }
  })

  it('are short enough for an answer', async () => {
    for (const locale of LOCALES)
      for (const { id, body } of await articles(locale)) expect(body.length, id).toBeLessThan(2200)
  })

  it('refuses one without its head', () => {
    expect(() => parseArticle('x', 'just text')).toThrow(/article x/)
    expect(parseArticle('x', 'title: A\nkeywords: b, c\nlink: /admin/role | Roles\n\nText.\n')).toEqual({
      id: 'x',
      title: 'A',
      keywords: 'b, c',
      links: [{ to: '/admin/role', title: 'Roles' }],
      body: 'Text.',
    })
  })
})
