import type { PageView } from '@thingwright/contracts/cloud-pages.contract'
import { call, type Query } from '../../lib/api-client.ts'
import { locale } from '../../lib/i18n.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import type { FetchPage } from '../../ui/list-page/list-types.ts'

export const fetchPages: FetchPage<PageView> = ({ filters, ...input }, signal) =>
  call('cloudPages.list', { query: { ...input, ...filters } as Query<'cloudPages.list'>, signal })

/** The page that the editor begins with: read once, however long it is open. */
export function usePageToEdit(id: string) {
  return useRead('cloudPages.get', { params: { id } }, { staleTime: Number.POSITIVE_INFINITY, gcTime: 0 })
}

/** Where the editor of a page is. */
export const editorAt = (id: string) => `/manage/user/center/cloudConfig?id=${encodeURIComponent(id)}`

export const STATE_KIND = { draft: 'never', published: 'success', withdrawn: 'disabled' } as const satisfies Record<
  PageView['state'],
  string
>

/** An address that a new page of this name can have: letters and digits of it, or chance. */
export function suffixFor(name: string): string {
  const plain = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 24)
  const rest = Array.from(crypto.getRandomValues(new Uint8Array(4)), byte => (byte % 36).toString(36)).join('')
  return plain.length >= 4 ? plain : `page-${rest}`
}

/** Names one after the other, as the language parts them. */
export const listed = (names: readonly string[]) => names.join(locale() === 'zh' ? '\u3001' : ', ')

/** Saves a text as a file of this name. */
export function saveFile(name: string, text: string, type = 'application/json'): void {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const anchor = document.createElement('a')
  anchor.href = url
  anchor.download = name
  anchor.click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
