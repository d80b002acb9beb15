import type { RolePreview } from '@thingwright/contracts/roles.contract'
import { create } from 'zustand'
import { session } from './storage.ts'

export type PreviewedRole = RolePreview['role']

/** The role this tab is shown as; read once, a preview begins and ends with a new page load. */
export const usePreview = create<{ role: PreviewedRole | null }>(() => ({ role: session.get('previewRole') }))

/** Header that tells the server which role is previewed. */
export const PREVIEW_HEADER = 'X-Preview-Role'

/** Whether a request is made as the previewed role; asking what the role is, is not. */
export function previewHeader(url: string): string | null {
  const role = usePreview.getState().role
  return role !== null && url.startsWith('/api/') && !url.endsWith('/preview') ? role.id : null
}
