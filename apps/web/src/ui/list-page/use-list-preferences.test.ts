import { describe, expect, it } from 'vitest'
import type { ListColumn } from './list-types.ts'
import { shownColumns, soundPreferences } from './use-list-preferences.ts'

const column = (key: string, more: Partial<ListColumn<unknown>> = {}): ListColumn<unknown> => ({
  key,
  title: key,
  render: () => null,
  ...more,
})
const COLUMNS = [column('name', { required: true }), column('state'), column('tags', { initiallyHidden: true })]
const keys = (chosen: string[] | null) => shownColumns(COLUMNS, chosen).map(({ key }) => key)

describe('the columns of a list', () => {
  it('are as designed until somebody chooses', () => {
    expect(keys(null)).toEqual(['name', 'state'])
  })

  it('follow the chosen order and drop names that no longer exist', () => {
    expect(keys(['tags', 'gone', 'name'])).toEqual(['tags', 'name'])
  })

  it('leave for want of room only where nobody chose them', () => {
    const ranked = [column('name'), column('time', { rank: 1 })]
    expect(shownColumns(ranked, null).map(({ rank }) => rank)).toEqual([undefined, 1])
    expect(shownColumns(ranked, ['time', 'name']).map(({ rank }) => rank)).toEqual([undefined, undefined])
  })

  it('never lose a required one', () => {
    expect(keys(['state'])).toEqual(['name', 'state'])
  })
})

describe('stored preferences', () => {
  it('are replaced part by part when they are not sound', () => {
    expect(soundPreferences({ density: 'huge', limit: 7, columns: [1], widths: { a: 'x', b: 5, c: 1.5 } })).toEqual(
      soundPreferences(null),
    )
  })

  it('keep what is sound', () => {
    const kept = { density: 'dense', limit: 50, columns: ['a'], widths: { a: 240 } }
    expect(soundPreferences(kept)).toMatchObject(kept)
  })
})
