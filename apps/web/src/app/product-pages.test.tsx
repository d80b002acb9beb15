// @vitest-environment happy-dom
import { describe, expect, it } from 'vitest'
import { page } from './testing/company.ts'
import { type Answers, openConsole } from './testing/open-console.tsx'

const MADE = '2026-01-01T00:00:00.000Z'

const product = (over: object = {}) => ({
  id: 'p1',
  name: 'Heating',
  productKey: 'HEAT',
  description: '',
  category: '',
  icon: '',
  linkType: 'mqtt',
  nodeType: 'device',
  status: 'published',
  groupId: null,
  modelVersion: 1,
  modelChanged: false,
  deviceCount: 0,
  onlineCount: 0,
  version: 1,
  createdAt: MADE,
  updatedAt: MADE,
  deletedAt: null,
  ...over,
})
const gone = product({ id: 'p2', name: 'Old meter', status: 'draft', deletedAt: MADE })

describe('the product list', () => {
  it('is narrowed to a category, which stands among those to choose from', async () => {
    const list = await openConsole('/manage/product?category=water', {
      'GET /api/v1/groups': () => ({ items: [] }),
      'GET /api/v1/products/categories': () => ({ items: ['energy', 'water'] }),
      'GET /api/v1/products': () => page([product({ category: 'water' })]),
    })
    await expect.poll(list.text).toContain('Heating')
    // A text may be cut by the width of its column.
    expect(document.querySelector('td[title="MQTT"]')?.textContent).toBe('MQTT')
    const asked = list.requests.filter(request => request.startsWith('GET /api/v1/products?'))
    expect(asked.map(request => new URL(request.slice(4), 'http://x').searchParams.get('category'))).toEqual(
      asked.map(() => 'water'),
    )
    expect(list.requests.some(request => request.startsWith('GET /api/v1/products/categories'))).toBe(true)
  })

  it('keeps what was deleted in its recycle bin, and takes it out again', async () => {
    let restored = false
    const company: Answers = {
      'GET /api/v1/groups': () => ({ items: [] }),
      'GET /api/v1/products/categories': () => ({ items: [] }),
      'GET /api/v1/products': url =>
        page(url.searchParams.get('recycled') === '1' ? (restored ? [] : [gone]) : [product()]),
      'POST /api/v1/products/p2/restore': () => {
        restored = true
        return { ...gone, deletedAt: null, thingModel: {}, publishedModel: null }
      },
    }
    const work = await openConsole('/manage/product', company)
    await expect.poll(work.text).toContain('Heating')
    expect(work.text()).not.toContain('Old meter')

    const bin = await openConsole('/manage/product?tab=recycled', company)
    await expect.poll(bin.text).toContain('Old meter')
    expect(bin.text()).not.toContain('Heating')
    const button = [...document.querySelectorAll<HTMLElement>('[data-testid="list"] button')].find(
      each => each.textContent === 'Restore',
    )
    button!.click()
    await expect.poll(() => bin.requests).toContain('POST /api/v1/products/p2/restore')
    await expect.poll(bin.text).not.toContain('Old meter')
  })
})
