// @vitest-environment happy-dom
import { WEB_ROUTES } from '@thingwright/contracts/web-routes'
import { describe, expect, it } from 'vitest'
import { NOT_FOUND, PAGES } from './page-table.ts'

describe('the pages of the console', () => {
  it('are there for every address of the route table but those that lead on', () => {
    const missing = WEB_ROUTES.filter(({ path, redirectTo }) => !redirectTo && !PAGES[path]).map(({ path }) => path)
    expect(missing).toEqual([])
  })

  it('lead on to pages that are there', () => {
    const paths = new Set(WEB_ROUTES.map(({ path }) => path))
    expect(WEB_ROUTES.flatMap(({ redirectTo }) => redirectTo ?? []).filter(path => !paths.has(path))).toEqual([])
  })

  it('say that there is no such page only where there is none', () => {
    const none = Object.entries(PAGES).flatMap(([path, entry]) => (entry === NOT_FOUND ? [path] : []))
    expect(none.toSorted()).toEqual(['*', '/operator/*'])
  })
})
