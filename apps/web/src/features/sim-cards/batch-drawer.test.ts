import { expect, it } from 'vitest'
import { changeOf } from './batch-drawer.tsx'

it('a batch sends the chosen field alone, and clears it where nothing was filled in', () => {
  const filled = { term: 'year', shownPlanMb: 30, shownPercent: 110, dataUntil: 0, expiresAt: 0, searchable: true }
  const of = (what: string, values: object = filled) => changeOf({ what, ...values })
  expect(of('term')).toEqual({ term: 'year' })
  expect(of('shownPlan')).toEqual({ shownPlanKb: 30_720 })
  expect(of('shownPercent')).toEqual({ shownPercent: 110 })
  expect(of('dataUntil')).toEqual({ dataUntil: '1970-01-01T00:00:00.000Z' })
  expect(of('expires')).toEqual({ expiresAt: '1970-01-01T00:00:00.000Z' })
  expect(of('searchable')).toEqual({ searchable: true })
  expect(of('term', {})).toEqual({ term: null })
  expect(of('shownPlan', {})).toEqual({ shownPlanKb: null })
  expect(of('dataUntil', {})).toEqual({ dataUntil: null })
  expect(of('searchable', { searchable: false })).toEqual({ searchable: false })
})
