import { create } from 'zustand'
import { useSession } from '../../lib/session.ts'
import { readPreference, writePreference } from '../../lib/storage.ts'

/** Also read by `build/early.js`, which draws the frame before this program is there. */
const nameFor = (user: string) => `menu.rail.${user}`

/** The user id with the choice, so that another person on the same machine has his own. */
const useChoice = create<{ user: string; on: boolean }>(() => ({ user: '', on: false }))

/** Whether this person has folded the side menu to a rail of icons; everybody begins with the whole menu. */
export function useRail(): [on: boolean, fold: (on: boolean) => void] {
  const user = useSession(s => s.token?.id ?? '')
  const choice = useChoice()
  const on = choice.user === user ? choice.on : readPreference<unknown>(nameFor(user)) === true
  const fold = (next: boolean) => {
    writePreference(nameFor(user), next ? true : null)
    useChoice.setState({ user, on: next })
  }
  return [on, fold]
}
