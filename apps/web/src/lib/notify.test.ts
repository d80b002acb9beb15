import { beforeEach, describe, expect, it } from 'vitest'
import { dismiss, notify, useNotices } from './notify.ts'

const texts = () => useNotices.getState().notices.map(notice => notice.text)

beforeEach(() => useNotices.setState({ notices: [] }))

describe('notices', () => {
  it('are three at most, the oldest goes', () => {
    for (const text of ['a', 'b', 'c', 'd']) notify.info(text)
    expect(texts()).toEqual(['b', 'c', 'd'])
  })

  it('do not pile up with the same words', () => {
    notify.error('a')
    notify.error('b')
    notify.error('a')
    expect(texts()).toEqual(['b', 'a'])
  })

  it('can be sent away', () => {
    const id = notify.success('a', { detail: 'x · 1', durationMs: 9 })
    expect(useNotices.getState().notices[0]).toMatchObject({ kind: 'success', detail: 'x · 1', durationMs: 9 })
    dismiss(id)
    expect(texts()).toEqual([])
  })
})
