import type { MenuItem, MeView } from '@thingwright/contracts/identity.contract'
import { ApiError } from './api/api-error.ts'
import { call } from './api-client.ts'
import { type PreviewedRole, usePreview } from './preview-state.ts'
import { session } from './storage.ts'

/**
 * Shows the console as somebody with only this role would see it, beginning with the first entry of his menu. Every
 * request then names the role: the server answers with its rights and refuses to change anything.
 */
export async function startPreview(roleId: string): Promise<void> {
  const { role, menus } = await call('roles.preview', { params: { id: roleId } })
  session.set('previewRole', role)
  session.remove('menuInfo', 'groupInfo1', 'groupInfo2', 'groupInfo3')
  // Loaded anew: nothing that was read with one's own rights may stay on the screen.
  window.location.assign(firstPage(menus) ?? '/alonePage/NoPermissio')
}

/** Back to oneself. */
export function endPreview(to = '/manage/role'): void {
  session.remove('previewRole', 'menuInfo', 'groupInfo1', 'groupInfo2', 'groupInfo3')
  window.location.assign(to)
}

/** The person as he would be with the previewed role alone, with its menu; null when nothing is previewed. */
export async function previewed(me: MeView): Promise<{ me: MeView; menus: MenuItem[] } | null> {
  const role = usePreview.getState().role
  if (!role) return null
  try {
    const { permissions, menuPermissions, menus } = await call('roles.preview', { params: { id: role.id } })
    const own = new Set(me.permissions)
    return { me: { ...me, permissions: permissions.filter(right => own.has(right)), menuPermissions }, menus }
  } catch (error) {
    // The role is gone, or one may no longer look at it. An answer that never came says neither: a page that is left
    // while it asks must not end the preview for the next one.
    if (error instanceof ApiError && (error.status === 403 || error.status === 404)) {
      session.remove('previewRole')
      usePreview.setState({ role: null })
    }
    throw error
  }
}

function firstPage(menus: readonly MenuItem[]): string | null {
  for (const item of menus) {
    if (item.path !== '' && item.jump === 0) return item.path
    const inner = firstPage(item.children)
    if (inner !== null) return inner
  }
  return null
}

export type { PreviewedRole }
