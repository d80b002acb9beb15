import { type Decision, NO_PERMISSION_PAGE } from './decision.ts'

/**
 * May the person open the route? `/index` is where signed-in people do not stay: they go to the first entry of their
 * menu. `from` is the path being left; a cold load (null) counts as root.
 */
export async function checkPermission(
  key: string,
  from: string | null,
  permissions: readonly string[],
  firstEntry: () => Promise<string | null>,
): Promise<Decision> {
  const toIndex = key === '/index' || key === '/'
  if (!toIndex && permissions.includes(key)) return { kind: 'allow' }
  if (toIndex || (from !== null && isPublicPlace(from))) {
    const first = await firstEntry()
    return first === null
      ? { kind: 'redirect', to: NO_PERMISSION_PAGE, message: 'noPermissionAtAll' }
      : { kind: 'redirect', to: first }
  }
  if (from === null || from === '/') return { kind: 'redirect', to: NO_PERMISSION_PAGE, message: 'sectionForbidden' }
  return { kind: 'block', message: 'forbidden' }
}

function isPublicPlace(path: string): boolean {
  return path === '/index' || path === '/alonePage' || path.startsWith('/alonePage/')
}
