import { describe, expect, it } from 'vitest'
import { type BuiltChunk, filesOf, headOf, pagesIn } from './page-plan.ts'

const chunk = (fileName: string, imports: string[], more: Partial<BuiltChunk> = {}): [string, BuiltChunk] => [
  fileName,
  { fileName, imports, facadeModuleId: null, isEntry: false, css: [], ...more },
]

describe('the files of an address', () => {
  const chunks = new Map([
    chunk('main.js', ['react.js'], { isEntry: true }),
    chunk('react.js', []),
    chunk('page.js', ['react.js', 'list.js'], { css: ['page.css'] }),
    chunk('list.js', ['react.js'], { css: ['list.css'] }),
  ])

  it('are all it imports, with styles, without what the entry has anyway', () => {
    expect(filesOf(chunks, ['page.js'])).toEqual(['/page.js', '/list.js', '/page.css', '/list.css'])
  })

  it('are none for a file that does not exist', () => {
    expect(filesOf(chunks, ['gone.js'])).toEqual([])
  })
})

it('pages of an area are found with and without more texts', () => {
  const source = `pages: {
    '/manage/device': withTexts(TEXTS, async () => ({ Component: (await import('./pages/list.tsx')).List })),
    '/manage/product/ProductSet/ProductFormat': () => import('./pages/format.tsx').then(m => ({ Component: m.F })),
  }`
  expect(pagesIn(source)).toEqual({
    '/manage/device': './pages/list.tsx',
    '/manage/product/ProductSet/ProductFormat': './pages/format.tsx',
  })
})

describe('the head of a page', () => {
  it('is read where it stands in plain words', () => {
    expect(headOf(`<ListPage title={t('title')} description={t('lead')} />`)).toEqual({ title: 'title', lead: 'lead' })
    expect(headOf(`<ListPage description={\n c\n ? t('countsLine', { n: f(c.n) })\n : t('lead')\n }`)).toEqual({
      lead: 'lead',
    })
  })

  it('is not taken from the panels of a framed page', () => {
    expect(headOf(`<Panel title={t('basics')} />`)).toEqual({})
  })

  it('is left out where it is computed', () => {
    expect(headOf(`<PageHeader title={name} description={t('of', { name })}`)).toEqual({})
  })
})
