import { useCallback } from 'react'
import { useCache } from '../../lib/server-state/cache.ts'
import { useRead } from '../../lib/server-state/use-read.ts'

/** How the caller's own sign-in is protected. */
export function useOverview() {
  return useRead('security.overview')
}

/** Lets everything about security be read anew. */
export function useSecurityChanged(): () => Promise<void> {
  const cache = useCache()
  return useCallback(() => cache.touch('security'), [cache])
}
