import { useState } from 'react'
import { errorFacts } from '../../../lib/errors.ts'
import { warmUp } from '../../../lib/warm-up.ts'
import { takeStep } from '../step.ts'

/**
 * Runs a sign-in: busy while it runs, the reason when it is refused, `onDone` when it succeeds.
 * @param onRefused told of a refusal first; true: it is shown there, and not above the button
 */
export function useSubmit(
  onDone: () => void,
  onRefused?: (error: unknown) => boolean,
): {
  busy: boolean
  failure: string | null
  run: (work: () => Promise<void>) => Promise<void>
} {
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  return {
    busy,
    failure,
    run: async work => {
      if (busy) return
      setBusy(true)
      setFailure(null)
      warmUp()
      try {
        await work()
      } catch (error) {
        if (takeStep(error)) {
          setBusy(false)
          return
        }
        if (!onRefused?.(error)) setFailure(errorFacts(error).message)
        setBusy(false)
        return
      }
      // Stays busy: the page is being left.
      onDone()
    },
  }
}
