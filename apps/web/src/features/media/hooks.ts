import type { MediaFolderView, MediaView } from '@thingwright/contracts/media.contract'
import { MEDIA_KINDS } from '@thingwright/contracts/media.words'
import { createContext, use, useCallback } from 'react'
import { call, type Query } from '../../lib/api-client.ts'
import { useMay } from '../../lib/permissions.ts'
import { useCache } from '../../lib/server-state/cache.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import type { FetchPage } from '../../ui/list-page/list-types.ts'

/** Signed addresses end after ten minutes at the earliest: what is shown is read anew before. */
const ADDRESS_MS = 8 * 60_000

export const KINDS = MEDIA_KINDS

export const fetchMedia: FetchPage<MediaView> = ({ filters, ...input }, signal) =>
  call('media.list', { query: { ...input, ...filters } as Query<'media.list'>, signal })

/** The end user whose materials a page shows; null: the person's own. */
export const MaterialsOf = createContext<string | null>(null)

function useWhose() {
  const userId = use(MaterialsOf)
  return userId === null ? {} : { query: { userId } }
}

export function useFolders() {
  const allowed = useMay('media.folders')
  return useRead('media.folders', useWhose(), { enabled: allowed })
}

export function useUsage() {
  const allowed = useMay('media.usage')
  return useRead('media.usage', useWhose(), { enabled: allowed })
}

export function useMedia(id: string) {
  return useRead('media.get', { params: { id } }, { refetchInterval: ADDRESS_MS })
}

/** Reads everything about materials anew. */
export function useMediaChanged(): () => void {
  const cache = useCache()
  return useCallback(() => void cache.touch('media'), [cache])
}

/** A folder with where it stands in the tree. */
export interface FolderNode {
  folder: MediaFolderView
  level: number
  hasChildren: boolean
}

/** The visible part of the tree, in the order the server gives (parents first). */
export function visibleFolders(folders: readonly MediaFolderView[], closed: ReadonlySet<string>): FolderNode[] {
  const level = new Map<string, number>()
  const hidden = new Set<string>()
  const parents = new Set(folders.map(folder => folder.parentId))
  const nodes: FolderNode[] = []
  for (const folder of folders) {
    const depth = folder.parentId === null ? 1 : (level.get(folder.parentId) ?? 0) + 1
    level.set(folder.id, depth)
    if (folder.parentId !== null && (hidden.has(folder.parentId) || closed.has(folder.parentId))) {
      hidden.add(folder.id)
      continue
    }
    nodes.push({ folder, level: depth, hasChildren: parents.has(folder.id) })
  }
  return nodes
}

/** Names from the outermost folder to this one. */
export function folderPath(folders: readonly MediaFolderView[], id: string | null): string {
  const names: string[] = []
  for (let at = id; at !== null; ) {
    const folder = folders.find(each => each.id === at)
    if (!folder) break
    names.unshift(folder.name)
    at = folder.parentId
  }
  return names.join(' / ')
}
