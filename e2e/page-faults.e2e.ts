import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { builtPages, GIVEN_WORDS } from './fixtures/furnished.ts'
import { pageFaults } from './fixtures/page-faults.ts'
import { PageTour } from './fixtures/page-tour.ts'
import { sharedServer } from './fixtures/shared-server.ts'

const ROUTE = builtPages.find(route => route.path === '/admin/address')!
const LOOK = {
  locale: 'en',
  tabs: 'each',

  keyboard: true,
  widths: [1100],
  given: GIVEN_WORDS,
} as const

/** One fault of each kind, planted in a page that has none, by a word of the line that tells it. */
const PLANTED: [RegExp, string][] = [
  [/^1100 px: the page is \d+ px wider than the window$/, '<div style="width: 2000px; height: 1px"></div>'],
  [
    /cut by \d+ px: div “Cut through/,
    '<div style="width: 40px; overflow: hidden; white-space: nowrap">Cut through</div>',
  ],
  [/ellipsis without the whole on hover: div “No end/, '<div class="ellipsis">No end of it here</div>'],
  [/letters cut by \d+ px at the foot: div “Foot/, '<div style="height: 8px; overflow: hidden">Foot</div>'],
  [
    /^1100 px: Planted: its actions are out of sight$/,
    '<div style="overflow-x: auto; width: 200px"><table aria-label="Planted"><tbody><tr><td><div style="width: 300px">a</div></td><td><a href="/index">b</a></td></tr></tbody></table></div>',
  ],
  // The second row has the longer words, and a title that stands for a whole one.
  [
    /^1100 px: Narrow: “Archive” is cut off by its cell by \d+ px$/,
    '<div style="width: 400px; overflow: hidden"><table aria-label="Narrow" style="table-layout: fixed; width: 400px"><tbody><tr><td>a</td><td><a href="/index">Go</a></td></tr><tr><td>b</td><td style="overflow: hidden; white-space: nowrap"><span style="display: flex"><a href="/index" style="flex: none; width: 180px">Open</a><button type="button" title="Archive it">Archive</button></span></td></tr></tbody></table></div>',
  ],
  [
    /covered: button “Under” by/,
    '<div style="position: fixed; left: 400px; top: 100px"><button type="button">Under</button><div style="position: absolute; inset: 0; background: gray"></div></div>',
  ],
  [/^image-alt: /, '<img src="/favicon.svg">'],
  [/^a pointer that the keyboard cannot reach: <i/, '<i style="cursor: pointer">For the mouse</i>'],
  [
    /^a station of the Tab key without a mark of the focus: <a id="unmarked"/,
    '<a id="unmarked" href="/index">Unmarked</a>',
  ],
  [/^a value that is none: “undefined devices”$/, '<p>undefined devices</p>'],
  [/^a place that nothing was put into: “\{\{count\}\} devices”$/, '<p>{{count}} devices</p>'],
  [/^the key of a text instead of the text: “emptyHint”$/, '<p>emptyHint</p>'],
  [/^the key of a text instead of the text: “states.lost”$/, '<p title="states.lost">Lost</p>'],
  [/^Chinese in English: “设备”$/, '<p>设备</p>'],
  [/^2 headings h1 in main/, '<h1>Another</h1>'],
]

describe('what is held against every page', () => {
  let tour: PageTour
  let page: Page

  beforeAll(async () => {
    tour = await PageTour.begin(await sharedServer())
    page = await tour.open(ROUTE, { locale: 'en', appearance: 'light' })
  })
  afterAll(() => tour?.end())

  it('tells each planted fault, and none where there is none', async () => {
    expect(await pageFaults(page, ROUTE, LOOK)).toEqual([])
    await page.evaluate(
      planted => {
        const style = document.createElement('style')
        style.textContent = `#unmarked:focus { outline: none !important; box-shadow: none !important }
        .ellipsis { width: 60px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap }`
        document.querySelector('main')!.insertAdjacentHTML('beforeend', planted)
        document.head.append(style)
      },
      PLANTED.map(([, html]) => html).join('\n'),
    )
    const faults = await pageFaults(page, ROUTE, LOOK)
    for (const [line] of PLANTED) expect(faults).toContainEqual(expect.stringMatching(line))
  })

  it('tells a page that does not say what it is, and one that is another', async () => {
    await tour.open(ROUTE, { locale: 'en', appearance: 'light' })
    await page.evaluate(() => {
      document.querySelector('main h1')!.remove()
      document.title = ''
    })
    expect(await pageFaults(page, ROUTE, { ...LOOK, keyboard: false, widths: [] })).toEqual([
      expect.stringMatching(/^document-title: /),
      '0 headings h1 in main, where one names the page',
      'no title',
    ])
    const nowhere = {
      ...ROUTE,
      path: '/manage/product/ProductSet',
    }
    const found = await tour.faults(nowhere, { ...LOOK, appearance: 'light' })
    expect(found).toEqual(['/manage/product/ProductSet/ProductSetInfo was opened instead'])
  })
})
