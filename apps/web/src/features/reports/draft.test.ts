import { describe, expect, it } from 'vitest'
import { askedList, freshDraft, recipientKey, recipientOf } from './draft.ts'

const LISTS = ['devices.export']

describe('a report that is begun from a list', () => {
  it('has the filters of the list', () => {
    const asked = askedList(
      JSON.stringify({ list: 'devices.export', query: { link: 'online' }, name: 'Devices' }),
      LISTS,
    )
    expect(freshDraft('en', asked)).toMatchObject({
      name: 'Devices',
      source: { kind: 'list', list: 'devices.export', query: { link: 'online' }, columns: [] },
    })
  })

  it('is an empty one where the address cannot be read', () => {
    for (const text of [
      null,
      '',
      '{',
      '{"list":"secrets.export","query":{}}',
      '{"list":"devices.export","query":null}',
    ])
      expect(askedList(text, LISTS)).toBeNull()
  })
})

describe('a receiver', () => {
  it('comes back from its choice', () => {
    for (const recipient of [
      { kind: 'member' as const, id: 'a-b' },
      { kind: 'contact' as const, id: 'c' },
      { kind: 'mail' as const, address: 'a@b.example' },
    ])
      expect(recipientOf(recipientKey(recipient))).toEqual(recipient)
  })
})
