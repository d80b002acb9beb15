/** Texts of the guard, by key in the shell's locale. */
export type GuardMessage =
  | 'notSignedIn'
  | 'flagMissing'
  | 'notActivated'
  | 'expired'
  | 'statusFailed'
  | 'noPermissionAtAll'
  | 'sectionForbidden'
  | 'forbidden'

export type Decision =
  | { kind: 'allow' }
  | { kind: 'redirect'; to: string; message?: GuardMessage; remember?: string; endSession?: true }
  | { kind: 'block'; message: GuardMessage; shownMs?: number }

export const NO_PERMISSION_PAGE = '/alonePage/NoPermissio'
export const NOT_ACTIVATED_PAGE = '/alonePage/accountNotActivated'
