import { useCallback } from 'react'
import { useNavigate } from 'react-router'
import { ownPath } from '../../../lib/navigation.ts'
import { session } from '../../../lib/storage.ts'

/** Where a person goes who has just signed in: back to where he wanted to go, else to the first entry of his menu. */
export function useSignedIn(): () => void {
  const navigate = useNavigate()
  return useCallback(() => {
    const target = ownPath(session.get('redirectURL'))
    session.remove('redirectURL')
    // The guard sends signed-in people on from /index to the first entry of their menu.
    void navigate(target ?? '/index', { replace: true })
  }, [navigate])
}
