import type { Permission } from '@thingwright/contracts/permissions'
import { useEffect, useState } from 'react'
import { call } from './api-client.ts'
import { useSession } from './session.ts'

/**
 * Names of the people who can grant the signed-in person a right; none until the server has answered, when it does not,
 * and when nobody can. Without a query cache: it is also asked on pages that stand outside the console.
 */
export function useGrantors(permission: Permission | undefined): string[] {
  const signedIn = useSession(s => s.token !== null)
  const [names, setNames] = useState<string[]>([])
  useEffect(() => {
    setNames([])
    if (!signedIn || permission === undefined) return
    const stop = new AbortController()
    call('roles.explain', { query: { permission }, signal: stop.signal }).then(
      ({ canGrant }) => {
        if (!stop.signal.aborted) setNames(canGrant.map(({ displayName, username }) => displayName || username))
      },
      // The page says what it knows without the answer.
      () => {},
    )
    return () => stop.abort()
  }, [signedIn, permission])
  return names
}
