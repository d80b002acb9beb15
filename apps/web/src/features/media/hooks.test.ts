import type { MediaFolderView } from '@thingwright/contracts/media.contract'
import { describe, expect, it } from 'vitest'
import { folderPath, visibleFolders } from './hooks.ts'

const folder = (id: string, parentId: string | null = null): MediaFolderView => ({
  id,
  parentId,
  name: id.toUpperCase(),
  count: 0,
  version: 1,
  createdAt: '2026-01-01T00:00:00.000Z',
})
const folders = [folder('a'), folder('b', 'a'), folder('c', 'b'), folder('d')]

describe('folders', () => {
  it('are shown with their levels, without those below a closed one', () => {
    const lines = (closed: string[]) =>
      visibleFolders(folders, new Set(closed)).map(({ folder: { id }, level, hasChildren }) => [id, level, hasChildren])
    expect(lines([])).toEqual([
      ['a', 1, true],
      ['b', 2, true],
      ['c', 3, false],
      ['d', 1, false],
    ])
    expect(lines(['a'])).toEqual([
      ['a', 1, true],
      ['d', 1, false],
    ])
  })

  it('have a path', () => {
    expect(folderPath(folders, 'c')).toBe('A / B / C')
    expect(folderPath(folders, null)).toBe('')
    expect(folderPath(folders, 'gone')).toBe('')
  })
})
