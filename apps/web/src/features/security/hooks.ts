import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { call } from '../../lib/api-client.ts'

const SECURITY = ['security'] as const
export const key = (...parts: string[]) => [...SECURITY, ...parts] as const

/** How the caller's own sign-in is protected. */
export function useOverview() {
  return useQuery({ queryKey: key('me'), queryFn: ({ signal }) => call('security.overview', { signal }) })
}

/** Lets everything about security be read anew. */
export function useSecurityChanged(): () => Promise<void> {
  const client = useQueryClient()
  return useCallback(() => client.invalidateQueries({ queryKey: SECURITY }), [client])
}
